#include "base/json_write.h"

#include <math.h>

#include "base/number.h"

static void separate(at_json_out *j, bool comma)
{
    at_str_add(j->out, comma ? "," : "");
    if (j->line) {
        at_str_add(j->out, "\n");
        at_str_repeat(j->out, " ", j->line - 1);
    } else
        at_str_add(j->out, comma ? " " : "");
    j->line = 0;
}

/* to be followed by a value */
static at_str *begin(at_json_out *j, const char *key)
{
    separate(j, j->more);
    j->more = true;
    if (key) {
        at_str_add_json(j->out, key);
        at_str_add(j->out, ": ");
    }
    return j->out;
}

static void open_bracket(at_json_out *j, const char *key, bool array)
{
    at_str_add(begin(j, key), array ? "[" : "{");
    j->arrays = j->arrays << 1 | array;
    j->more = false;
}

void at_json_object(at_json_out *j, const char *key) { open_bracket(j, key, false); }
void at_json_array(at_json_out *j, const char *key) { open_bracket(j, key, true); }

void at_json_end(at_json_out *j)
{
    separate(j, false);
    at_str_add(j->out, j->arrays & 1 ? "]" : "}");
    j->arrays >>= 1;
    j->more = true;
}

void at_json_line(at_json_out *j, int indent) { j->line = indent + 1; }

void at_json_string(at_json_out *j, const char *key, const char *text)
{
    at_str_add_json(begin(j, key), text);
}

void at_json_bytes(at_json_out *j, const char *key, const char *text, size_t size)
{
    at_str_add_json_bytes(begin(j, key), text, size);
}

void at_json_int(at_json_out *j, const char *key, long long value)
{
    at_str_print(begin(j, key), "%lld", value);
}

void at_json_bool(at_json_out *j, const char *key, bool value)
{
    at_str_add(begin(j, key), value ? "true" : "false");
}

void at_json_null(at_json_out *j, const char *key) { at_str_add(begin(j, key), "null"); }

void at_json_real(at_json_out *j, const char *key, double value, int digits)
{
    char number[32];
    if (!isfinite(value))
        at_json_null(j, key);
    else if (digits)
        at_str_print(begin(j, key), "%.*g", digits, value);
    else
        at_str_add(begin(j, key), at_number_print(number, value));
}

void at_json_raw(at_json_out *j, const char *key, const char *json, size_t size)
{
    at_str_add_bytes(begin(j, key), json, size);
}

static int add(const char *text, size_t size, void *out)
{
    at_str_add_bytes(out, text, size);
    return 0;
}

void at_json_tree(at_json_out *j, const char *key, const json_t *value)
{
    at_str *out = begin(j, key);
    out->failed |= json_dump_callback(value, add, out, JSON_COMPACT | JSON_ENCODE_ANY) < 0;
}
