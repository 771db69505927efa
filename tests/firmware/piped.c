/*
 * A board on a pair of pipes: whoever holds their other ends says what comes on the line and what befalls the device,
 * and reads what it says. So time is the test's. Words: the file of the memory, a seed, then the device's own.
 *
 * Each request is a letter, a length (2, high byte first) and as many bytes: R bytes on the line, I silence, E an event
 * and its value, C the power goes after so many more bytes of memory. Each answer: a length, and what was said.
 */
#include "piped.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROOM = 1 << 20, NEVER = -1 };

static uint8_t memory[ROOM], said[ROOM];
static size_t memory_count, said_count;
static int memory_file, writes_left = NEVER;
static uint32_t chance;

void board_say(const uint8_t *bytes, size_t count)
{
    while (count-- && said_count < sizeof said)
        said[said_count++] = *bytes++;
}

const uint8_t *board_memory(size_t *count)
{
    *count = memory_count;
    return memory;
}

void board_keep(const uint8_t *bytes, size_t count)
{
    for (; count--; bytes++) {
        if (writes_left == 0 || memory_count == sizeof memory)
            _exit(0);
        if (writes_left > 0)
            writes_left--;
        if (pwrite(memory_file, bytes, 1, (off_t)memory_count) != 1)
            _exit(3);
        memory[memory_count++] = *bytes;
    }
}

void board_drop_behind(size_t count)
{
    memory_count = count;
    if (ftruncate(memory_file, (off_t)count))
        _exit(3);
}

uint8_t board_random(void)
{
    chance ^= chance << 13;
    chance ^= chance >> 17;
    chance ^= chance << 5;
    return (uint8_t)(chance >> 11);
}

static int get(uint8_t *into, size_t count)
{
    while (count) {
        ssize_t got = read(STDIN_FILENO, into, count);
        if (got <= 0)
            return 0;
        into += got;
        count -= (size_t)got;
    }
    return 1;
}

static void answer(void)
{
    uint8_t head[2] = {(uint8_t)(said_count >> 8), (uint8_t)said_count};
    if (write(STDOUT_FILENO, head, 2) != 2 || write(STDOUT_FILENO, said, said_count) != (ssize_t)said_count)
        _exit(4);
    said_count = 0;
}

int main(int count, char **words)
{
    static uint8_t asked[65536];
    uint8_t head[3];
    if (count < 3)
        return 2;
    memory_file = open(words[1], O_RDWR | O_CREAT, 0600);
    ssize_t kept = memory_file < 0 ? -1 : pread(memory_file, memory, sizeof memory, 0);
    if (kept < 0)
        return 2;
    memory_count = (size_t)kept;
    /* Another seed after each loss of power, or chance would repeat itself. */
    chance = (uint32_t)strtoul(words[2], NULL, 10) * 2654435761u + (uint32_t)memory_count + 1;
    if (!chance)
        chance = 1;
    device_power(count - 3, words + 3);
    while (get(head, 3)) {
        size_t length = (size_t)head[1] << 8 | head[2];
        if (!get(asked, length))
            return 0;
        if (head[0] == 'R')
            for (size_t at = 0; at < length; at++)
                device_byte(asked[at]);
        else if (head[0] == 'I')
            device_silence();
        else if (head[0] == 'E' && length == 2)
            device_event(asked[0], asked[1]);
        else if (head[0] == 'C' && length == 1)
            writes_left = asked[0];
        answer();
    }
    return 0;
}
