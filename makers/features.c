#include "makers/features.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

typedef struct {
    attend_features *features;
    float *values; /* of one source */
    size_t room;
    at_writer *lines;
    const char *pictures; /* a folder, or NULL */
    long count;
} sequences;

static size_t count_of(const at_str *text, char c)
{
    size_t n = 0;
    for (size_t i = 0; i < text->length; i++)
        n += text->text[i] == c;
    return n;
}

static attend_status reserve(sequences *s, size_t count, attend_error *err)
{
    if (count <= s->room)
        return ATTEND_OK;
    at_free(s->values);
    s->values = at_alloc(count * sizeof *s->values);
    s->room = s->values ? count : 0;
    return s->values ? ATTEND_OK : at_error_memory(err);
}

/* "1,2 3,4" is two frames of two numbers; every frame of a maker has as many. */
static attend_status add_source(sequences *s, const at_str *source, attend_error *err)
{
    size_t frames = count_of(source, ' ') + 1, n = 0;
    attend_status status = reserve(s, frames + count_of(source, ','), err);
    const char *text = at_str_text(source);
    double value = 0;
    for (; status >= 0 && *text; text += text[0] == ' ' || text[0] == ',') {
        size_t length = strcspn(text, " ,");
        if (!at_number_real(text, length, &value))
            return at_error(err, ATTEND_FORMAT, "\"%.40s\" is not a number", text);
        s->values[n++] = (float)value;
        text += length;
    }
    if (status >= 0 && !s->features)
        status = attend_features_new((int)(n / frames), &s->features, err);
    return status >= 0 ? attend_features_add(s->features, frames, s->values, err) : status;
}

static attend_status save_picture(const sequences *s, const at_made *made, attend_error *err)
{
    attend_picture picture = {made->width, made->height,
                              (const unsigned char *)at_str_text(&made->rgb)};
    at_str path = {0};
    at_str_print(&path, "%s/%ld.png", s->pictures, s->count);
    attend_status status = path.failed ? at_error_memory(err)
                                       : attend_picture_save(&picture, at_str_text(&path), err);
    at_str_free(&path);
    return status;
}

static attend_status add_sequence(void *user, const at_made *made, attend_error *err)
{
    sequences *s = user;
    at_writer_write(s->lines, at_str_text(&made->target), made->target.length);
    at_writer_write(s->lines, "\n", 1);
    attend_status status = s->pictures ? save_picture(s, made, err) : ATTEND_OK;
    s->count++;
    return status < 0 ? status : add_source(s, &made->source, err);
}

attend_status at_make_features(const at_maker *m, long count, uint64_t seed, int size,
                               const char *features, const char *lines, const char *pictures,
                               attend_error *err)
{
    sequences s = {.pictures = pictures};
    attend_status status = at_writer_open(&s.lines, lines, err);
    if (status >= 0 && (status = at_maker_run(m, count, seed, size, add_sequence, &s, err)) >= 0)
        status = attend_features_save(s.features, features, err);
    if (status >= 0)
        status = at_writer_commit(s.lines, err);
    else
        at_writer_abort(s.lines);
    at_free(s.values);
    attend_features_free(s.features);
    return status;
}
