/* The names of a pooling's columns, kept in its file as one note: ["x", ..., "y"]. */
#include <string.h>

#include "api/pooling.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"

static attend_status out_of_memory(json_t *names, attend_error *err)
{
    json_decref(names);
    return at_error_memory(err);
}

attend_status attend_pooling_set_names(attend_pooling *p, const char *const *names,
                                       attend_error *err)
{
    at_json_start();
    json_t *list = json_array();
    for (int i = 0; i <= p->model->columns; i++) {
        size_t size = strlen(names[i]);
        if (at_utf8_valid(names[i], size) < size) {
            json_decref(list);
            return at_error(err, ATTEND_OPTION, "the name of column %d is no UTF-8", i + 1);
        }
        if (json_array_append_new(list, json_stringn_nocheck(names[i], size)) < 0)
            return out_of_memory(list, err);
    }
    json_decref(p->names);
    p->names = list;
    return ATTEND_OK;
}

const char *attend_pooling_name(const attend_pooling *p, int column)
{
    return column < 0 ? NULL : json_string_value(json_array_get(p->names, (size_t)column));
}

bool at_pooling_write_names(const attend_pooling *p, at_str *note)
{
    for (size_t i = 0; i < json_array_size(p->names); i++) {
        at_str_add(note, i ? ", " : "[");
        at_str_add_json(note, json_string_value(json_array_get(p->names, i)));
    }
    at_str_add(note, p->names ? "]" : "");
    return !note->failed;
}

/* as many strings as there are columns, and one for y */
static bool are_names(const json_t *list, int columns)
{
    bool well = json_is_array(list) && json_array_size(list) == (size_t)columns + 1;
    for (size_t i = 0; well && i < json_array_size(list); i++)
        well = json_is_string(json_array_get(list, i));
    return well;
}

attend_status at_pooling_read_names(attend_pooling *p, const char *note, const char *path,
                                    attend_error *err)
{
    if (!note)
        return ATTEND_OK;
    attend_status status = at_json_parse(path, note, strlen(note), &p->names, err);
    if (status < 0 || are_names(p->names, p->model->columns))
        return status;
    return at_error(err, ATTEND_FORMAT, "%s: the note \"names\" must have %d names, of x and of y",
                    at_show(path).text, p->model->columns + 1);
}
