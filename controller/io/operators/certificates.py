"""The property's certificates: an authority of its own, and what it signs for brokers, tables and consumers.

X.509 v3 (RFC 5280), ECDSA on P-256. A broker that takes a certificate's name for the user's name
(``use_identity_as_username``) gives each table and consumer exactly what its access list says.
"""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shlex import quote
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from controller.formats.text.printable import many
from controller.io.files.file_kinds import kind_of
from controller.io.files.plain_files import content
from controller.io.files.secret_files import SecretRefused, read_secret, write_secret

AUTHORITY_DAYS: Final = 3650
CERTIFICATE_DAYS: Final = 397
"""A little over a year: renewed once a year with a month to spare."""

ALARM_DAYS: Final = 14
"""So long before the end of a certificate it is an alarm."""

BACKDATED: Final = timedelta(minutes=5)
"""Other machines' clocks may be behind."""


class Paths(NamedTuple):
    """Where a certificate and its key lie."""

    certificate: Path
    key: Path


def paths(directory: Path, name: str) -> Paths:
    """``NAME.pem`` and ``NAME.key`` in a directory."""
    return Paths(directory / f"{name}.pem", directory / f"{name}.key")


def make_authority(directory: Path, now: datetime, *, rotate: bool = False) -> Paths:
    """Make the authority ``ca``: to trust its certificate is to trust what its key signs.

    Raises:
        SecretRefused: there is one already, or it cannot be written.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tableside property authority")])
    built = (
        _builder(name, name, key.public_key(), now, AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return _keep(paths(directory, "ca"), built.sign(key, hashes.SHA256()), key, rotate=rotate)


def make_certificate(
    directory: Path, name: str, hosts: tuple[str, ...], now: datetime, *, rotate: bool = False
) -> Paths:
    """Make a certificate signed by the authority in ``directory``: for a client, or, with ``hosts``, for a server.

    Raises:
        SecretRefused: no authority here, there is one already, or it cannot be written.
    """
    authority = paths(directory, "ca")
    signer = _private_key(authority.key)
    issuer = read_certificate(authority.certificate)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    role = ExtendedKeyUsageOID.SERVER_AUTH if hosts else ExtendedKeyUsageOID.CLIENT_AUTH
    built = (
        _builder(subject, issuer.subject, key.public_key(), now, CERTIFICATE_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([role]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if hosts:
        built = built.add_extension(x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False)
    return _keep(paths(directory, name), built.sign(signer, hashes.SHA256()), key, rotate=rotate)


def read_certificate(path: Path) -> x509.Certificate:
    """A certificate in PEM.

    Raises:
        SecretRefused: it cannot be read or is none.
    """
    try:
        return x509.load_pem_x509_certificate(content(path))
    except OSError as error:
        raise SecretRefused(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SecretRefused(f"{path}: no certificate in PEM{kind_of(path)}") from error


def days_left(certificate: x509.Certificate, now: datetime) -> int:
    """Whole days until it ends; negative once it has."""
    return (certificate.not_valid_after_utc - now).days


def expiry_line(path: Path, now: datetime) -> str:
    """What is to be said of a certificate that ends within ``ALARM_DAYS``; empty where nothing is."""
    left = days_left(read_certificate(path), now)
    if left > ALARM_DAYS:
        return ""
    ends = "has expired" if left < 0 else f"expires in {many(left, 'day')}"
    return f"certificate {path} {ends}; run: tableside keys certificate --rotate"


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, days: int
) -> x509.CertificateBuilder:
    begins = now.astimezone(UTC) - BACKDATED
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=days))
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _host(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _private_key(path: Path) -> ec.EllipticCurvePrivateKey:
    if not path.exists():
        raise SecretRefused(f"{path}: no authority here; run: tableside keys authority {quote(str(path.parent))}")
    try:
        key = serialization.load_pem_private_key(read_secret(path), password=None)
    except ValueError as error:
        raise SecretRefused(f"{path}: no private key in PEM") from error
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise SecretRefused(f"{path}: expected a key on P-256")
    return key


def _keep(where: Paths, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey, *, rotate: bool) -> Paths:
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write_secret(where.key, secret, rotate=rotate)
    try:
        where.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    except OSError as error:
        raise SecretRefused(f"{where.certificate}: cannot be made: {error.strerror}") from error
    return where
