/* GPT-2's characters for bytes: every byte is written as one printable character, so that pieces
 * of any bytes are text in vocab.json and merges.txt. Printable Latin-1 stands for itself, the
 * other 68 bytes are U+0100 and on: a blank is U+0120, a newline U+010A. */
#ifndef ATTEND_TEXT_BYTE_MAP_H
#define ATTEND_TEXT_BYTE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* The character of a byte, and how many ids in GPT-2's order come before it: 0 is '!', 255 the
 * byte 0xAD. */
uint32_t at_byte_char(unsigned char byte);
int at_byte_order(unsigned char byte);

/* The byte of a character, or -1 where it stands for none. */
int at_char_byte(uint32_t code);

/* Characters as bytes. False, and nothing is added, where a character stands for no byte. */
bool at_bytes_read(at_str *out, const char *text, size_t size);

#endif
