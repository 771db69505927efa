/*
 * A unit of eight bet sensors, written from docs/reference/wire-formats.md (Bet sensors: Modbus RTU) alone. Standard C99, no heap.
 * Its one word is its address.
 */
#include "piped.h"

#include <stdlib.h>

enum { READ_COILS = 1, READ_INPUTS = 2, WRITE_COIL = 5, WRITE_COILS = 15, REFUSED = 0x80, LIMIT = 256 };
enum { BAD_FUNCTION = 1, BAD_ADDRESS = 2, BAD_VALUE = 3, MOST_READ = 2000, MOST_WRITTEN = 1968, COILS = 9, INPUTS = 16 };

static uint8_t address, live, latched, locked, lamps;
static uint8_t heard[LIMIT];
static size_t heard_count;

static uint16_t crc(const uint8_t *bytes, size_t count)
{
    uint16_t sum = 0xFFFF;
    while (count--) {
        sum ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            sum = (uint16_t)(sum & 1 ? sum >> 1 ^ 0xA001 : sum >> 1);
    }
    return sum;
}

static void say(uint8_t *frame, size_t count)
{
    uint16_t check = crc(frame, count);
    frame[count++] = (uint8_t)check;
    frame[count++] = (uint8_t)(check >> 8);
    board_say(frame, count);
}

static void lock(int wanted)
{
    if (wanted == locked)
        return;
    locked = (uint8_t)wanted;
    latched = wanted ? live : 0;
}

static void write_coil(uint16_t coil, int wanted)
{
    if (coil == 0)
        lock(wanted);
    else if (wanted)
        lamps = (uint8_t)(lamps | 1 << (coil - 1));
    else
        lamps = (uint8_t)(lamps & ~(1 << (coil - 1)));
}

/* Bits from first on, the first lowest in the first byte. */
static void say_bits(uint8_t function, uint32_t bits, uint16_t first, uint16_t count)
{
    uint8_t frame[8] = {address, function, (uint8_t)((count + 7) / 8)};
    bits = bits >> first & ((1u << count) - 1);
    frame[3] = (uint8_t)bits;
    frame[4] = (uint8_t)(bits >> 8);
    say(frame, (size_t)3 + frame[2]);
}

/* 0, or the code with which it is refused. */
static uint8_t obey(const uint8_t *frame, size_t count)
{
    uint8_t function = frame[1], echo[8];
    uint16_t first = (uint16_t)(frame[2] << 8 | frame[3]), many = (uint16_t)(frame[4] << 8 | frame[5]);
    if (function == READ_COILS || function == READ_INPUTS) {
        uint16_t there = function == READ_COILS ? COILS : INPUTS;
        if (many == 0 || many > MOST_READ)
            return BAD_VALUE;
        if (first + many > there)
            return BAD_ADDRESS;
        say_bits(function, function == READ_COILS ? (uint32_t)lamps << 1 | locked : (uint32_t)latched << 8 | live, first, many);
        return 0;
    }
    if (function == WRITE_COIL) {
        if (many != 0xFF00 && many != 0)
            return BAD_VALUE;
        if (first >= COILS)
            return BAD_ADDRESS;
        write_coil(first, many != 0);
    } else if (function == WRITE_COILS) {
        if (many == 0 || many > MOST_WRITTEN || frame[6] != (many + 7) / 8 || count != (size_t)9 + frame[6])
            return BAD_VALUE;
        if (first + many > COILS)
            return BAD_ADDRESS;
        for (uint16_t at = 0; at < many; at++)
            write_coil((uint16_t)(first + at), frame[7 + at / 8] >> at % 8 & 1);
    } else {
        return BAD_FUNCTION;
    }
    for (int at = 0; at < 6; at++)
        echo[at] = frame[at];
    say(echo, 6);
    return 0;
}

/* How long the frame is that begins here; 0: none does, LIMIT + 1: more is needed. */
static size_t length_of(const uint8_t *frame, size_t count)
{
    if (count < 2)
        return LIMIT + 1;
    switch (frame[1]) {
    case 0x01: case 0x02: case 0x03: case 0x04: case 0x05: case 0x06: case 0x08:
        return 8;
    case 0x07: case 0x0B: case 0x0C: case 0x11:
        return 4;
    case 0x0F: case 0x10:
        return count < 7 ? LIMIT + 1 : (size_t)9 + frame[6];
    default:
        return 0;
    }
}

static void drop(size_t count)
{
    heard_count -= count;
    for (size_t at = 0; at < heard_count; at++)
        heard[at] = heard[at + count];
}

static void work_off(int silent)
{
    while (heard_count) {
        size_t length = length_of(heard, heard_count);
        if (length > heard_count && length && !silent && heard_count < LIMIT)
            return;
        if (!length || length > heard_count
            || crc(heard, length - 2) != (heard[length - 2] | heard[length - 1] << 8)) {
            drop(1);
            continue;
        }
        if (heard[0] == address) {
            uint8_t code = obey(heard, length);
            uint8_t refusal[5] = {address, (uint8_t)(heard[1] | REFUSED), code};
            if (code)
                say(refusal, 3);
        }
        drop(length);
    }
}

void device_power(int count, char **words)
{
    address = (uint8_t)(count > 0 ? atoi(words[0]) : 1);
}

void device_byte(uint8_t byte)
{
    heard[heard_count++] = byte;
    work_off(0);
}

void device_silence(void)
{
    work_off(1);
}

/* W: what lies on the sensors. ?: how it is, for who looks at the unit and not at the line. */
void device_event(uint8_t what, uint8_t value)
{
    uint8_t shown[2] = {locked, lamps};
    if (what == 'W')
        live = value;
    else if (what == '?')
        board_say(shown, 2);
}
