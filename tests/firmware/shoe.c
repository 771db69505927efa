/*
 * A reference shoe, version 2, written from docs/reference/reference-shoe.md alone. Standard C99; 250 bytes of RAM, no heap.
 *
 * What a board has to give it is in shoe_board.h: bytes of memory that keep their content, a line, four random bytes.
 */
#include "shoe_board.h"

enum {
    IDENTIFY = 0x01, CHECK = 0x02, SEND = 0x03, ACKNOWLEDGE = 0x04, LOCK = 0x05, SHOW = 0x06,
    IDENTITY = 0x81, STATUS = 0x82, DRAW = 0x83, ALARM = 0x84,
    FRAME_LIMIT = 72, KEPT_LIMIT = 120, SLOTS = 128,
    SLOT_BYTES = 9, HEADER_BYTES = 8, RING_AT = 2 * HEADER_BYTES,
    ERASED = 0xFF, MARKED = 0x00
};

static uint32_t series, next_number, oldest;   /* draws oldest .. next_number - 1 are kept */
static uint8_t known, locked_by_word;          /* as in the header */
static uint8_t awake, shown, lid_open, burning, was_locked;
static uint8_t heard[FRAME_LIMIT];
static uint8_t heard_count, too_long;

/* --- numbers and checks ------------------------------------------------------------------------------- */

static uint16_t crc(uint16_t sum, const uint8_t *bytes, uint8_t count)
{
    while (count--) {
        sum ^= (uint16_t)(*bytes++ << 8);
        for (uint8_t bit = 0; bit < 8; bit++)
            sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
    }
    return sum;
}

static void put32(uint8_t *at, uint32_t number)
{
    for (uint8_t place = 0; place < 4; place++)
        at[place] = (uint8_t)(number >> (24 - 8 * place));
}

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* --- memory ------------------------------------------------------------------------------------------- */

static void write_bytes(uint16_t at, const uint8_t *bytes, uint8_t count)
{
    while (count--) {
        if (board_read(at) != *bytes)
            board_write(at, *bytes);
        at++, bytes++;
    }
}

static void read_bytes(uint16_t at, uint8_t *bytes, uint8_t count)
{
    while (count--)
        *bytes++ = board_read(at++);
}

static void write_header(void)
{
    uint8_t header[HEADER_BYTES];
    put32(header, series);
    header[4] = known;
    header[5] = locked_by_word;
    uint16_t check = crc(0xFFFF, header, 6);
    header[6] = (uint8_t)(check >> 8);
    header[7] = (uint8_t)check;
    write_bytes(0, header, HEADER_BYTES);
    write_bytes(HEADER_BYTES, header, HEADER_BYTES);
}

static int read_header(uint16_t at)
{
    uint8_t header[HEADER_BYTES];
    read_bytes(at, header, HEADER_BYTES);
    uint16_t check = crc(0xFFFF, header, 6);
    series = get32(header);
    known = header[4];
    locked_by_word = header[5];
    return header[6] == check >> 8 && header[7] == (uint8_t)check && known <= 1 && locked_by_word <= 1 && series
        && series != 0xFFFFFFFF;
}

static uint16_t slot_at(uint32_t number)
{
    return (uint16_t)(RING_AT + (number % SLOTS) * SLOT_BYTES);
}

static uint16_t slot_check(const uint8_t *slot)
{
    uint8_t own[4];
    put32(own, series);
    return crc(crc(0xFFFF, own, 4), slot, 6);
}

/* Whether the slot holds a whole record; then its number, card and flags are in slot[0..5]. */
static int read_slot(uint8_t place, uint8_t *slot)
{
    read_bytes(slot_at(place), slot, SLOT_BYTES);
    uint16_t check = slot_check(slot);
    return slot[6] == check >> 8 && slot[7] == (uint8_t)check && get32(slot) % SLOTS == place;
}

/* The number goes first, so that a record cut off is never taken for the one of 128 draws before. */
static void write_slot(uint32_t number, uint8_t card, uint8_t flags)
{
    uint8_t slot[SLOT_BYTES];
    put32(slot, number);
    slot[4] = card;
    slot[5] = flags;
    uint16_t check = slot_check(slot);
    slot[6] = (uint8_t)(check >> 8);
    slot[7] = (uint8_t)check;
    slot[8] = ERASED;
    /* A mark of the lap before must be gone before the record is whole. */
    write_bytes((uint16_t)(slot_at(number) + 8), slot + 8, 1);
    write_bytes(slot_at(number), slot, 8);
}

static int is_erased(const uint8_t *slot)
{
    for (uint8_t place = 0; place < SLOT_BYTES; place++)
        if (slot[place] != ERASED)
            return 0;
    return 1;
}

static void new_memory(void)
{
    static const uint8_t nothing[HEADER_BYTES] = {0};
    write_bytes(0, nothing, HEADER_BYTES);
    write_bytes(HEADER_BYTES, nothing, HEADER_BYTES);
    for (uint16_t at = RING_AT; at < RING_AT + SLOTS * SLOT_BYTES; at++)
        if (board_read(at) != ERASED)
            board_write(at, ERASED);
    do
        series = board_random();
    while (series == 0 || series == 0xFFFFFFFF);
    known = locked_by_word = 0;
    next_number = oldest = 0;
    write_header();
}

/* What the records tell after the power came back. */
static void read_ring(void)
{
    uint8_t slot[SLOT_BYTES];
    uint32_t after_marked = 0;
    next_number = 0;
    for (uint8_t place = 0; place < SLOTS; place++) {
        if (!read_slot(place, slot))
            continue;
        uint32_t number = get32(slot);
        if (number + 1 > next_number)
            next_number = number + 1;
        if (slot[8] == MARKED && number + 1 > after_marked)
            after_marked = number + 1;
    }
    /* Begun and not finished: a card has left. */
    if (!read_slot((uint8_t)(next_number % SLOTS), slot) && !is_erased(slot))
        write_slot(next_number++, 0, 0);
    oldest = next_number > KEPT_LIMIT ? next_number - KEPT_LIMIT : 0;
    if (after_marked > oldest)
        oldest = after_marked;
    for (uint32_t number = oldest; number != next_number; number++)
        if (!read_slot((uint8_t)(number % SLOTS), slot) || get32(slot) != number)
            write_slot(number, 0, 0);
}

/* --- saying ------------------------------------------------------------------------------------------- */

/* body[0] is the type; two bytes of room behind count are used for the check. */
static void say(uint8_t *body, uint8_t count)
{
    uint16_t check = crc(0xFFFF, body, count);
    body[count++] = (uint8_t)(check >> 8);
    body[count++] = (uint8_t)check;
    uint8_t frame[FRAME_LIMIT], from = 0, length = 0;
    for (uint8_t at = 0; at <= count; at++) {
        if (at < count && body[at])
            continue;
        frame[length++] = (uint8_t)(at - from + 1);
        while (from < at)
            frame[length++] = body[from++];
        from++;
    }
    frame[length++] = 0;
    board_send(frame, length);
}

static int is_locked(void)
{
    return locked_by_word || !known || next_number - oldest >= KEPT_LIMIT;
}

static void say_status(uint8_t high, uint8_t low)
{
    uint8_t body[16] = {STATUS, high, low};
    put32(body + 3, series);
    was_locked = (uint8_t)is_locked();
    body[7] = (uint8_t)(awake | was_locked << 1 | lid_open << 2 | burning << 3);
    put32(body + 8, oldest);
    body[12] = (uint8_t)(next_number - oldest);
    say(body, 13);
}

static void say_if_lock_changed(void)
{
    if (is_locked() != was_locked)
        say_status(0, 0);
}

static void say_draw(uint32_t number)
{
    uint8_t body[16] = {DRAW}, slot[SLOT_BYTES];
    read_slot((uint8_t)(number % SLOTS), slot);
    put32(body + 1, series);
    put32(body + 5, number);
    body[9] = slot[5];
    body[10] = slot[4];
    say(body, 11);
}

static void say_identity(uint8_t high, uint8_t low)
{
    uint8_t body[FRAME_LIMIT] = {IDENTITY, high, low}, count = 3;
    const char *texts[4] = {"Tableside", "C-shoe", board_serial(), "2.0"};
    for (uint8_t text = 0; text < 4; text++) {
        uint8_t length_at = count++;
        for (const char *letter = texts[text]; *letter; letter++)
            body[count++] = (uint8_t)*letter;
        body[length_at] = (uint8_t)(count - length_at - 1);
    }
    body[count++] = 2;
    put32(body + count, series);
    say(body, (uint8_t)(count + 4));
}

/* --- being told --------------------------------------------------------------------------------------- */

static uint32_t sending; /* the next of the kept draws that is still to be sent; board_idle sends one at a time */
static uint8_t is_sending;

static void obey(const uint8_t *body, uint8_t count)
{
    int is_mine = count >= 5 && get32(body + 1) == series;
    if (body[0] == IDENTIFY && count == 3) {
        say_identity(body[1], body[2]);
    } else if (body[0] == CHECK && count == 3 && (body[1] | body[2])) {
        say_status(body[1], body[2]);
    } else if ((body[0] == SEND || body[0] == SHOW) && count == 5 && is_mine) {
        sending = oldest;
        is_sending = 1;
        if (body[0] == SHOW) {
            shown = 1;
            return;
        }
        awake = 1;
        if (!known) {
            known = 1;
            write_header();
        }
        say_if_lock_changed();
    } else if (body[0] == ACKNOWLEDGE && count == 9 && is_mine) {
        uint32_t number = get32(body + 5);
        if (number < oldest || number >= next_number)
            return;
        board_write((uint16_t)(slot_at(number) + 8), MARKED);
        oldest = number + 1;
        say_if_lock_changed();
    } else if (body[0] == LOCK && count == 2 && body[1] <= 1) {
        if (locked_by_word != body[1]) {
            locked_by_word = body[1];
            write_header();
        }
        say_if_lock_changed();
    }
}

static void frame_ended(void)
{
    uint8_t body[FRAME_LIMIT], count = 0, at = 0;
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
    if (count < 3)
        return;
    uint16_t check = crc(0xFFFF, body, (uint8_t)(count - 2));
    if (body[count - 2] == check >> 8 && body[count - 1] == (uint8_t)check)
        obey(body, (uint8_t)(count - 2));
}

/* --- what the board calls ----------------------------------------------------------------------------- */

void shoe_power(void)
{
    awake = shown = is_sending = heard_count = too_long = 0;
    if (read_header(0))
        read_ring();
    else if (read_header(HEADER_BYTES))
        read_ring();
    else
        new_memory();
    /* Both copies alike again, if the power went between them. */
    write_header();
    was_locked = (uint8_t)is_locked();
}

void shoe_byte(uint8_t byte)
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

int shoe_idle(void)
{
    if (is_sending && sending < oldest)
        sending = oldest;
    if (is_sending && sending < next_number)
        say_draw(sending++);
    else
        is_sending = 0;
    return is_sending;
}

int shoe_is_locked(void)
{
    return is_locked();
}

void shoe_card(uint8_t card)
{
    write_slot(next_number, card, burning);
    next_number++;
    if ((awake || shown) && !is_sending)
        say_draw(next_number - 1);
    say_if_lock_changed();
}

void shoe_lid(uint8_t is_open)
{
    lid_open = is_open;
    say_status(0, 0);
}

void shoe_burn_mode(uint8_t is_on)
{
    burning = is_on;
    say_status(0, 0);
}
