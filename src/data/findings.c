#include "data/finding.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define MAKE(id, title, level_is, fix_is, says, advice)                   \
    const at_finding at_finding_##id = {.name = title,                    \
                                        .what = says,                     \
                                        .remedy = advice,                 \
                                        .level = ATTEND_LEVEL_##level_is, \
                                        .fix = ATTEND_FIX_##fix_is};

/* clang-format off */
MAKE(zero_byte, "zero-byte", ERROR, DROP, "a zero byte",
     "The file was damaged, or is no text.")
MAKE(not_utf8, "not-utf8", ERROR, REPAIR, "bytes that are no UTF-8",
     "If they are Latin-1, --encoding latin-1 reads them; a clean copy has them converted.")
MAKE(long_line, "long-line", ERROR, DROP, "a line over the limit",
     "Is this text with line ends? --max-line allows more.")
MAKE(malformed, "malformed", ERROR, DROP, "not in the form of the file's format",
     "Correct the line, or say the format with --format.")
MAKE(items, "items", ERROR, DROP, "not a sequence of items, unlike most lines",
     "Most pairs are numbers and some of them in another order, for pointer networks; such a line "
     "has something else, an item of another width, or a target that the source lacks.")
MAKE(empty, "empty", WARNING, DROP, "a side is empty",
     "Training skips such examples.")
MAKE(duplicate, "duplicate", WARNING, DROP, "the same example again",
     "It counts double in training, and may stand on both sides of a split by lines.")
MAKE(other_label, "other-label", WARNING, NOTHING, "the same text with another label",
     "One of the labels is wrong, or the text is ambiguous.")
MAKE(swapped, "swapped", WARNING, DROP, "source and target look swapped",
     "The words of each side are those of the other one in the rest of the corpus.")
MAKE(language, "language", WARNING, NOTHING, "both sides look like one language",
     "A side was not translated, or is a quotation.")
MAKE(ratio, "ratio", WARNING, DROP, "one side is far longer than the other",
     "Measured in characters against the median ratio of the corpus; --ratio sets the limit.")
MAKE(separator, "separator", WARNING, REPAIR, "a character that others take for a line end",
     "U+2028, U+0085, vertical tab, \\r and others: only \\n ends a line here, elsewhere the lines "
     "would no longer be aligned.")
MAKE(control, "control", WARNING, REPAIR, "control characters",
     "They mean nothing in text; a clean copy is without them.")
MAKE(lost, "lost", WARNING, NOTHING, "the sign for lost characters, U+FFFD",
     "An earlier conversion went wrong; find the original.")
MAKE(garbled, "garbled", WARNING, NOTHING, "UTF-8 that was converted twice",
     "As \"Ã©\" for \"é\": a program took UTF-8 for Latin-1; find the original.")
MAKE(long_text, "long-text", NOTE, NOTHING, "a text of many words",
     "Models have a limit, and time grows with length; --max-words sets the limit.")
MAKE(copy, "copy", NOTE, NOTHING, "source and target are the same",
     "Names and numbers are; sentences were not translated.")
MAKE(same_source, "same-source", NOTE, NOTHING, "the same source with another target",
     "Several translations are well; a split by sources keeps them on one side.")
MAKE(repeated, "repeated", NOTE, NOTHING, "the same line again",
     "Dialogue and lists repeat themselves; collected text is better without.")
MAKE(invisible, "invisible", NOTE, REPAIR, "invisible characters",
     "Soft hyphens, zero-width blanks and marks inside of words make them unknown words.")
MAKE(mark, "mark", NOTE, REPAIR, "a byte-order mark",
     "It is skipped; other programs take it for a part of the first word.")
MAKE(carriage, "carriage", NOTE, REPAIR, "\\r\\n ends the line",
     "The \\r is skipped; other programs keep it.")
MAKE(blanks, "blanks", NOTE, REPAIR, "blanks at an end",
     "Tokenizers skip them; duplicates are easier to see without.")
MAKE(unended, "unended", NOTE, REPAIR, "the last line has no line end",
     "wc -l counts one line less.")
/* clang-format on */

#define FINDING(name) &at_finding_##name,
const at_finding *const at_findings[ATTEND_FINDINGS] = {
#include "data/findings.def"
};
#undef FINDING

/* ---- looking at text -------------------------------------------------------------------- */

/* what one character beyond ASCII shows; next is the one behind it, or 0 */
static at_found look_at(uint32_t code, uint32_t next)
{
    if (code == 0x2028 || code == 0x2029 || code == 0x85)
        return FOUND(separator);
    if (code >= 0x80 && code < 0xA0)
        return FOUND(control);
    if (code == 0xFFFD)
        return FOUND(lost);
    if (code == 0xAD || code == 0x200B || code == 0x2060 || code == 0xFEFF)
        return FOUND(invisible);
    /* the lead byte of a two-byte character, and a byte that can only follow one */
    if ((code == 0xC2 || code == 0xC3) && next >= 0x80 && next < 0xC0 && next != 0xBB)
        return FOUND(garbled);
    return 0;
}

static at_found look_at_ascii(unsigned char c)
{
    if (c >= 0x20 && c != 0x7F)
        return 0;
    if (c == '\t' || c == '\n' || c == 0)
        return 0;
    if (c == '\v' || c == '\f' || c == '\r' || (c >= 0x1C && c <= 0x1E))
        return FOUND(separator);
    return FOUND(control);
}

at_found at_look_at_text(const char *text, size_t size)
{
    at_found found = 0;
    uint32_t code, next;
    if (size && (text[0] == ' ' || text[size - 1] == ' '))
        found |= FOUND(blanks);
    for (size_t at = 0; at < size;) {
        unsigned char c = (unsigned char)text[at];
        if (c < 0x80) {
            found |= look_at_ascii(c);
            at++;
            continue;
        }
        int length = at_utf8_get(text + at, size - at, &code);
        at += length ? (size_t)length : 1;
        if (length == 0)
            continue;
        next = 0;
        if (code == 0xC2 || code == 0xC3)
            at_utf8_get(text + at, size - at, &next);
        found |= look_at(code, next);
    }
    return found;
}
