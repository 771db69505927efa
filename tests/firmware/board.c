/*
 * A board that does not exist: memory in a file, the line on stdin and stdout, cards and mishaps on CONTROL.
 *
 *     board MEMORY SERIAL CONTROL ANSWERS
 *
 * CONTROL and ANSWERS are numbers of open descriptors. On CONTROL come two bytes at a time: D card (a card leaves), C count (the power goes in the write after as many
 * more bytes have been written), L 0/1 (lid), B 0/1 (burn mode). Each is answered on ANSWERS with one byte: 1 done,
 * 0 held back because the shoe is locked.
 */
#define _POSIX_C_SOURCE 200809L
#include "shoe_board.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY_BYTES = 2048, NEVER = -1 };

static uint8_t memory[MEMORY_BYTES];
static int memory_file, control, answers;
static const char *serial;
static int writes_left = NEVER;

uint8_t board_read(uint16_t at)
{
    return memory[at];
}

void board_write(uint16_t at, uint8_t byte)
{
    if (writes_left == 0)
        _exit(0);
    if (writes_left > 0)
        writes_left--;
    memory[at] = byte;
    if (pwrite(memory_file, &byte, 1, at) != 1)
        _exit(3);
}

void board_send(const uint8_t *bytes, uint8_t count)
{
    while (count) {
        ssize_t sent = write(STDOUT_FILENO, bytes, count);
        if (sent <= 0)
            return; /* nobody listens */
        bytes += sent;
        count = (uint8_t)(count - sent);
    }
}

uint32_t board_random(void)
{
    uint32_t number = 0;
    int source = open("/dev/urandom", O_RDONLY);
    if (source < 0 || read(source, &number, sizeof number) != sizeof number)
        _exit(4);
    close(source);
    return number;
}

const char *board_serial(void)
{
    return serial;
}

static void happen(void)
{
    uint8_t said[2], answer = 1;
    if (read(control, said, 2) != 2)
        _exit(0);
    if (said[0] == 'D' && shoe_is_locked())
        answer = 0;
    else if (said[0] == 'D')
        shoe_card(said[1]);
    else if (said[0] == 'C')
        writes_left = said[1];
    else if (said[0] == 'L')
        shoe_lid(said[1]);
    else if (said[0] == 'B')
        shoe_burn_mode(said[1]);
    if (write(answers, &answer, 1) != 1)
        _exit(5);
}

int main(int count, char **words)
{
    if (count != 5)
        return 2;
    control = atoi(words[3]);
    answers = atoi(words[4]);
    serial = words[2];
    memory_file = open(words[1], O_RDWR | O_CREAT, 0600);
    memset(memory, 0xFF, sizeof memory);
    ssize_t kept = memory_file < 0 ? -1 : pread(memory_file, memory, sizeof memory, 0);
    if (kept < 0)
        return 2;
    /* A memory fresh from its maker is erased. */
    if (kept < MEMORY_BYTES && pwrite(memory_file, memory + kept, (size_t)(MEMORY_BYTES - kept), kept) < 0)
        return 2;
    shoe_power();
    int more = 0;
    for (;;) {
        struct pollfd ends[2] = {{STDIN_FILENO, POLLIN, 0}, {control, POLLIN, 0}};
        poll(ends, 2, more ? 0 : NEVER);
        if (ends[0].revents & POLLIN) {
            uint8_t bytes[64];
            ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
            for (ssize_t at = 0; at < got; at++)
                shoe_byte(bytes[at]);
        } else if (ends[0].revents) {
            poll(NULL, 0, 1); /* the line is gone; the shoe has power all the same */
        }
        if (ends[1].revents & POLLIN)
            happen();
        else if (ends[1].revents)
            return 0;
        more = shoe_idle();
    }
}
