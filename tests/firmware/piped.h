/* What a board gives a device, and what it has to call; tests/firmware/piped.c is such a board, moved by a test. */
#ifndef PIPED_H
#define PIPED_H

#include <stddef.h>
#include <stdint.h>

/* Given by the board. */
void board_say(const uint8_t *bytes, size_t count);
/* Memory that keeps its content: bytes are put behind those that are there; the power may go at any of them. */
const uint8_t *board_memory(size_t *count);
void board_keep(const uint8_t *bytes, size_t count);
void board_drop_behind(size_t count);
uint8_t board_random(void);

/* Called by the board. */
void device_power(int count, char **words);
void device_byte(uint8_t byte);
void device_silence(void);
void device_event(uint8_t what, uint8_t value);

#endif
