/* What a board gives the shoe, and what it has to call. */
#ifndef SHOE_BOARD_H
#define SHOE_BOARD_H

#include <stdint.h>

/* Given by the board. */
uint8_t board_read(uint16_t at);
void board_write(uint16_t at, uint8_t byte);
void board_send(const uint8_t *bytes, uint8_t count);
uint32_t board_random(void);
const char *board_serial(void);

/* Called by the board. */
void shoe_power(void);
void shoe_byte(uint8_t byte);
int shoe_idle(void); /* whether draws are still to be sent */
int shoe_is_locked(void);
void shoe_card(uint8_t card); /* only if it is not locked */
void shoe_lid(uint8_t is_open);
void shoe_burn_mode(uint8_t is_on);

#endif
