/*
 * A trigger box, written from docs/reference/mystery-trigger.md alone. Standard C99, no heap. The line is not paired and the store
 * not sealed: this is the box's behaviour on the wire and what it keeps, not a box to be put into a house.
 * Its words: serial, reset, ceiling (cents), the largest contribution (units), and 1 if its noise source works.
 */
#include "piped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GREET = 1, CHECK, OPEN_CYCLE, CONTRIBUTE, RECALL, KEEP_HEAD, RECALL_HEAD };
enum { GREETED = 0x81, STATUS, COMMITTED, ANSWERED, REVEALED, ALARM, HEAD_KEPT };
enum { UNGREETED, OPEN, AWAITING_SHARE, NO_RANDOMNESS, ROLLED_BACK, OTHER_TABLE, DISPUTED };
enum { FRAME_LIMIT = 128, NAME_LIMIT = 100, HEAD_BYTES = 112, CYCLES = 512, ANSWERS = 8192, UNITS_PER_CENT = 10000 };

typedef struct {
    uint64_t start, drawn, hit_by;
    uint8_t key[32], commitment[32], share[32], opened;
} Cycle;

typedef struct {
    uint64_t amount, cycle, meter, award;
    uint8_t hit;
} Answer;

static Cycle cycles[CYCLES];
static Answer answers[ANSWERS];
static uint64_t cycle_count, answer_count, meter;
static uint8_t head[HEAD_BYTES];              /* epoch, size, root, signature; zeros: none yet */
static char name[NAME_LIMIT];                 /* site/table/epoch; empty: serves nobody yet */
static uint64_t reset_cents, ceiling_cents, most_units;
static const char *serial;
static uint8_t noise_works, condition;
static uint8_t heard[FRAME_LIMIT];
static size_t heard_count;
static uint8_t too_long;

/* --- numbers and digests ------------------------------------------------------------------------------ */

static void put64(uint8_t *at, uint64_t number)
{
    for (int place = 0; place < 8; place++)
        at[place] = (uint8_t)(number >> (56 - 8 * place));
}

static uint64_t get64(const uint8_t *at)
{
    uint64_t number = 0;
    for (int place = 0; place < 8; place++)
        number = number << 8 | at[place];
    return number;
}

static uint32_t crc(const uint8_t *bytes, size_t count)
{
    uint32_t sum = 0xFFFFFFFF;
    while (count--) {
        sum ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xEDB88320 : sum >> 1;
    }
    return ~sum;
}

static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, int by)
{
    return word >> by | word << (32 - by);
}

static void digest_block(uint32_t *state, const uint8_t *block)
{
    uint32_t word[64], s[8];
    for (int at = 0; at < 16; at++)
        word[at] = (uint32_t)block[4 * at] << 24 | (uint32_t)block[4 * at + 1] << 16 | (uint32_t)block[4 * at + 2] << 8
            | block[4 * at + 3];
    for (int at = 16; at < 64; at++)
        word[at] = word[at - 16] + (turned(word[at - 15], 7) ^ turned(word[at - 15], 18) ^ word[at - 15] >> 3)
            + word[at - 7] + (turned(word[at - 2], 17) ^ turned(word[at - 2], 19) ^ word[at - 2] >> 10);
    memcpy(s, state, sizeof s);
    for (int at = 0; at < 64; at++) {
        uint32_t one = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6]))
            + rounds[at] + word[at];
        uint32_t two = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22))
            + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int at = 0; at < 8; at++)
        state[at] += s[at];
}

/* SHA-256 of at most 300 bytes. */
static void digest(const uint8_t *bytes, size_t count, uint8_t *into)
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t padded[384] = {0};
    size_t whole = (count + 9 + 63) / 64 * 64;
    memcpy(padded, bytes, count);
    padded[count] = 0x80;
    put64(padded + whole - 8, (uint64_t)count * 8);
    for (size_t at = 0; at < whole; at += 64)
        digest_block(state, padded + at);
    for (int at = 0; at < 32; at++)
        into[at] = (uint8_t)(state[at / 4] >> (24 - 8 * (at % 4)));
}

/* HMAC-SHA-256 of a text with a key of 32 bytes. */
static void mark(const uint8_t *key, const char *text, uint8_t *into)
{
    uint8_t inner[64 + 200], outer[64 + 32];
    size_t count = strlen(text);
    for (int at = 0; at < 64; at++) {
        uint8_t byte = at < 32 ? key[at] : 0;
        inner[at] = byte ^ 0x36;
        outer[at] = byte ^ 0x5C;
    }
    memcpy(inner + 64, text, count);
    digest(inner, 64 + count, outer + 64);
    digest(outer, sizeof outer, into);
}

/* --- the store: a letter, a length, a body, a check; written before anything is said of it ------------------- */

static void keep(uint8_t letter, const uint8_t *body, uint8_t count)
{
    uint8_t record[2 + 255 + 4] = {letter, count};
    memcpy(record + 2, body, count);
    uint32_t check = crc(record, (size_t)2 + count);
    for (int place = 0; place < 4; place++)
        record[2 + count + place] = (uint8_t)(check >> (24 - 8 * place));
    board_keep(record, (size_t)6 + count);
}

static void apply(uint8_t letter, const uint8_t *body, uint8_t count)
{
    Cycle *last = cycle_count ? &cycles[cycle_count - 1] : NULL;
    if (letter == 'N') {
        memcpy(name, body, count);
        name[count] = 0;
    } else if (letter == 'C' && cycle_count < CYCLES) {
        Cycle *next = &cycles[cycle_count++];
        memset(next, 0, sizeof *next);
        next->start = meter = get64(body);
        next->drawn = get64(body + 8);
        memcpy(next->key, body + 16, 32);
        memcpy(next->commitment, body + 48, 32);
    } else if (letter == 'S' && last) {
        memcpy(last->share, body, 32);
        last->opened = 1;
    } else if (letter == 'A' && last && answer_count < ANSWERS) {
        Answer *answer = &answers[answer_count++];
        answer->amount = get64(body);
        answer->meter = get64(body + 8);
        answer->award = get64(body + 16);
        answer->hit = body[24];
        answer->cycle = cycle_count;
        meter = answer->meter;
        if (answer->hit) {
            last->hit_by = answer_count;
            meter += (reset_cents - answer->award) * UNITS_PER_CENT;
        }
    } else if (letter == 'H' && count == HEAD_BYTES) {
        memcpy(head, body, HEAD_BYTES);
    }
}

static void read_store(void)
{
    size_t count, at = 0;
    const uint8_t *memory = board_memory(&count);
    while (at + 6 <= count && at + 6 + memory[at + 1] <= count) {
        size_t length = (size_t)2 + memory[at + 1];
        const uint8_t *check = memory + at + length;
        if (crc(memory + at, length) != ((uint32_t)check[0] << 24 | (uint32_t)check[1] << 16 | (uint32_t)check[2] << 8 | check[3]))
            break;
        apply(memory[at], memory + at + 2, memory[at + 1]);
        at += length + 4;
    }
    /* What the power went in was never said. */
    board_drop_behind(at);
}

static void change(uint8_t letter, const uint8_t *body, uint8_t count)
{
    keep(letter, body, count);
    apply(letter, body, count);
}

/* --- saying ------------------------------------------------------------------------------------------- */

static void say(const uint8_t *inside, size_t count)
{
    uint8_t body[FRAME_LIMIT], frame[FRAME_LIMIT + 8];
    size_t length = 0, from = 0;
    memcpy(body, inside, count);
    uint32_t check = crc(inside, count);
    for (int place = 0; place < 4; place++)
        body[count++] = (uint8_t)(check >> (24 - 8 * place));
    for (size_t at = 0; at <= count; at++) {
        if (at < count && body[at])
            continue;
        frame[length++] = (uint8_t)(at - from + 1);
        while (from < at)
            frame[length++] = body[from++];
        from++;
    }
    frame[length++] = 0;
    board_say(frame, length);
}

static size_t put_text(uint8_t *at, const char *text)
{
    at[0] = (uint8_t)strlen(text);
    memcpy(at + 1, text, at[0]);
    return (size_t)1 + at[0];
}

static void say_status(uint8_t high, uint8_t low)
{
    uint8_t body[20] = {STATUS, high, low, condition};
    put64(body + 4, cycle_count);
    put64(body + 12, answer_count);
    say(body, sizeof body);
}

static void say_committed(uint64_t cycle)
{
    uint8_t body[65] = {COMMITTED};
    put64(body + 1, cycle);
    put64(body + 9, cycles[cycle - 1].start);
    put64(body + 17, reset_cents);
    put64(body + 25, ceiling_cents);
    memcpy(body + 33, cycles[cycle - 1].commitment, 32);
    say(body, sizeof body);
}

static void say_answered(uint64_t number)
{
    const Answer *answer = &answers[number - 1];
    uint8_t body[34] = {ANSWERED};
    put64(body + 1, number);
    put64(body + 9, answer->cycle);
    put64(body + 17, answer->meter);
    put64(body + 25, answer->award);
    body[33] = answer->hit;
    say(body, sizeof body);
}

static void say_revealed(uint64_t cycle)
{
    uint8_t body[57] = {REVEALED};
    put64(body + 1, cycle);
    put64(body + 9, cycles[cycle - 1].hit_by);
    put64(body + 17, cycles[cycle - 1].drawn);
    memcpy(body + 25, cycles[cycle - 1].key, 32);
    say(body, sizeof body);
}

static void say_head(void)
{
    uint8_t body[1 + HEAD_BYTES] = {HEAD_KEPT};
    memcpy(body + 1, head, HEAD_BYTES);
    say(body, sizeof body);
}

static void dispute(uint64_t number, const char *what)
{
    uint8_t body[96] = {ALARM};
    char text[65];
    if (condition != DISPUTED) {
        size_t count = 1 + put_text(body + 1, "disputed");
        snprintf(text, sizeof text, "contribution %llu %s", (unsigned long long)number, what);
        say(body, count + put_text(body + count, text));
    }
    condition = DISPUTED;
    say_status(0, 0);
}

/* --- drawing and counting ----------------------------------------------------------------------------- */

static uint64_t mask(void)
{
    uint64_t all = 0;
    while (all < ceiling_cents - reset_cents - 1)
        all = all << 1 | 1;
    return all;
}

static void draw(void)
{
    uint8_t body[80];
    char text[200];
    uint64_t number;
    if (!noise_works) {
        condition = NO_RANDOMNESS;
        return;
    }
    do {
        number = 0;
        for (int at = 0; at < 8; at++)
            number = number << 8 | board_random();
        number &= mask();
    } while (number >= ceiling_cents - reset_cents);
    for (int at = 16; at < 48; at++)
        body[at] = board_random();
    put64(body, cycle_count ? meter : reset_cents * UNITS_PER_CENT);
    put64(body + 8, reset_cents + number);
    snprintf(text, sizeof text, "tableside.mystery.v1\n%s\n%llu\n%llu", name, (unsigned long long)cycle_count + 1,
        (unsigned long long)(reset_cents + number));
    mark(body + 16, text, body + 48);
    change('C', body, sizeof body);
    condition = AWAITING_SHARE;
    say_committed(cycle_count);
}

static uint64_t trigger(const Cycle *cycle)
{
    for (unsigned attempt = 0;; attempt++) {
        char text[200];
        uint8_t follows[32];
        snprintf(text, sizeof text, "tableside.mystery.share.v1\n%s\n%llu\n%u", name, (unsigned long long)cycle_count, attempt);
        mark(cycle->share, text, follows);
        uint64_t moved = get64(follows) & mask();
        if (moved < ceiling_cents - reset_cents)
            return reset_cents + (cycle->drawn - reset_cents + moved) % (ceiling_cents - reset_cents);
    }
}

static void count_in(uint64_t number, uint64_t amount)
{
    uint8_t body[25];
    uint64_t after = meter + amount, award = 0, cycle = cycle_count;
    uint8_t hit = after > trigger(&cycles[cycle - 1]) * UNITS_PER_CENT;
    if (hit)
        award = after / UNITS_PER_CENT < ceiling_cents ? after / UNITS_PER_CENT : ceiling_cents;
    put64(body, amount);
    put64(body + 8, after);
    put64(body + 16, award);
    body[24] = hit;
    change('A', body, sizeof body);
    say_answered(number);
    if (!hit)
        return;
    say_revealed(cycle);
    draw();
    say_status(0, 0);
}

static void contribute(uint64_t number, uint64_t amount)
{
    if (condition == UNGREETED || condition == OTHER_TABLE || condition == ROLLED_BACK)
        say_status(0, 0);
    else if (number && number <= answer_count && answers[number - 1].amount == amount)
        say_answered(number);
    else if (number && number <= answer_count)
        dispute(number, "came again with another amount");
    else if (number != answer_count + 1 || condition != OPEN)
        say_status(0, 0);
    else if (amount > most_units)
        dispute(number, "is larger than any could be");
    else
        count_in(number, amount);
}

/* --- being told --------------------------------------------------------------------------------------- */

static void greet(const uint8_t *body, size_t count)
{
    uint8_t answer[80] = {GREETED, body[1], body[2]};
    char called[NAME_LIMIT];
    size_t site = count > 27 ? body[27] : 0, table = count > 28 + site ? body[28 + site] : 0;
    uint64_t cycle = get64(body + 11), number = get64(body + 19);
    if (!site || !table || site > 32 || table > 32 || count != 29 + site + table)
        return;
    snprintf(called, sizeof called, "%.*s/%.*s/%llu", (int)site, (const char *)body + 28, (int)table,
        (const char *)body + 29 + site, (unsigned long long)get64(body + 3));
    put64(answer + 3, reset_cents);
    put64(answer + 11, ceiling_cents);
    put64(answer + 19, most_units);
    count = 27 + put_text(answer + 27, serial);
    say(answer, count + put_text(answer + count, "1.0"));
    condition = OPEN;
    if (name[0] && strcmp(name, called)) {
        condition = OTHER_TABLE;
    } else if (cycle > cycle_count || (cycle == cycle_count && number > answer_count)) {
        condition = ROLLED_BACK;
    } else {
        if (!name[0])
            change('N', (const uint8_t *)called, (uint8_t)strlen(called));
        if (!cycle_count || cycles[cycle_count - 1].hit_by)
            draw();
        else if (!cycles[cycle_count - 1].opened)
            condition = AWAITING_SHARE;
    }
    say_status(body[1], body[2]);
}

static void recall(uint64_t cycle)
{
    if (condition == UNGREETED || condition == OTHER_TABLE || !cycle || cycle > cycle_count) {
        say_status(0, 0);
        return;
    }
    say_committed(cycle);
    if (cycles[cycle - 1].hit_by)
        say_revealed(cycle);
}

/* Epoch and size stand first, high byte first, so that the later of two heads is the greater. */
static void keep_head(const uint8_t *told)
{
    int takes = condition == OPEN || condition == AWAITING_SHARE || condition == NO_RANDOMNESS || condition == DISPUTED;
    if (takes && memcmp(told, head, 16) > 0)
        change('H', told, HEAD_BYTES);
}

static void obey(const uint8_t *body, size_t count)
{
    if (body[0] == GREET && count > 29) {
        greet(body, count);
    } else if (body[0] == CHECK && count == 3) {
        say_status(body[1], body[2]);
    } else if (body[0] == OPEN_CYCLE && count == 41) {
        if (condition == AWAITING_SHARE && get64(body + 1) == cycle_count) {
            change('S', body + 9, 32);
            condition = OPEN;
        }
        say_status(0, 0);
    } else if (body[0] == CONTRIBUTE && count == 17) {
        contribute(get64(body + 1), get64(body + 9));
    } else if (body[0] == RECALL && count == 9) {
        recall(get64(body + 1));
    } else if (body[0] == KEEP_HEAD && count == 1 + HEAD_BYTES && (get64(body + 1) | get64(body + 9)) >> 63 == 0
        && get64(body + 9)) {
        keep_head(body + 1);
        if (condition == UNGREETED)
            say_status(0, 0);
        else
            say_head();
    } else if (body[0] == RECALL_HEAD && count == 1) {
        if (condition == UNGREETED)
            say_status(0, 0);
        else
            say_head();
    }
}

static void frame_ended(void)
{
    uint8_t body[FRAME_LIMIT];
    size_t count = 0, at = 0;
    while (at < heard_count) {
        uint8_t code = heard[at++];
        for (uint8_t step = 1; step < code; step++) {
            if (at >= heard_count)
                return;
            body[count++] = heard[at++];
        }
        if (code < 0xFF && at < heard_count)
            body[count++] = 0;
    }
    if (count < 5)
        return;
    const uint8_t *check = body + count - 4;
    if (crc(body, count - 4) == ((uint32_t)check[0] << 24 | (uint32_t)check[1] << 16 | (uint32_t)check[2] << 8 | check[3]))
        obey(body, count - 4);
}

/* --- what the board calls ----------------------------------------------------------------------------- */

void device_power(int count, char **words)
{
    if (count != 5)
        exit(2);
    serial = words[0];
    reset_cents = strtoull(words[1], NULL, 10);
    ceiling_cents = strtoull(words[2], NULL, 10);
    most_units = strtoull(words[3], NULL, 10);
    noise_works = words[4][0] == '1';
    read_store();
}

void device_byte(uint8_t byte)
{
    if (byte) {
        if (heard_count < FRAME_LIMIT)
            heard[heard_count++] = byte;
        else
            too_long = 1;
        return;
    }
    if (!too_long)
        frame_ended();
    heard_count = too_long = 0;
}

void device_silence(void)
{
    heard_count = too_long = 0;
}

/* N: the noise source works, or does not. */
void device_event(uint8_t what, uint8_t value)
{
    if (what != 'N')
        return;
    noise_works = value;
    if (condition == NO_RANDOMNESS && value) {
        draw();
        say_status(0, 0);
    }
}
