#include "store/features.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "data/key.h"
#include "store/weights.h"

/* where a sequence lies: in a mapped file, or in the arena */
typedef struct {
    const char *tensor; /* NULL: it goes by its number */
    const unsigned char *data;
    at_dtype dtype;
    int frames;
} sequence;

struct attend_features {
    char *name;
    at_safetensors *file; /* NULL: made in memory */
    int descriptor;       /* of the file that is mapped, -1: none; and its size */
    off_t size;
    at_arena memory;
    sequence *item;
    size_t count, room;
    int width;
};

bool at_features_is(const char *path) { return at_file_ends(path, ".safetensors"); }

/* ---- names ------------------------------------------------------------------------------- */

/* Runs of digits are compared as numbers, everything else byte by byte. */
static int compare_names(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0");
            b += strspn(b, "0");
            size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
            int order = n != m ? (n < m ? -1 : 1) : strncmp(a, b, n);
            if (order)
                return order;
            a += n;
            b += m;
            if (!*a || !*b)
                break;
        }
        if (*a != *b)
            break;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static int by_name(const void *one, const void *other)
{
    const char *a = ((const sequence *)one)->tensor, *b = ((const sequence *)other)->tensor;
    int order = compare_names(a, b);
    return order ? order : strcmp(a, b); /* "7" and "07" */
}

at_feature_name at_features_name(const at_features *f, size_t i)
{
    at_feature_name name;
    const char *tensor = f->item[i].tensor;
    bool blank = !tensor || tensor[strspn(tensor, " \t\r\n\v\f")] == '\0';
    if (blank)
        snprintf(name.text, sizeof name.text, "%zu", i);
    else
        memcpy(name.text, at_show(tensor).text, sizeof name.text);
    return name;
}

/* ---- sizes ------------------------------------------------------------------------------- */

static attend_status wrong(const at_features *f, const at_stored *t, const char *what,
                           attend_error *err)
{
    return at_tensor_error(err, ATTEND_FORMAT, f->name, t->name, "of shape %s %s",
                           at_sizes_print(t->rank, t->dim).text, what);
}

/* frames and width of a tensor's last two sizes */
static attend_status check_sizes(at_features *f, const at_stored *t, attend_error *err)
{
    const int64_t *dim = t->dim + t->rank - 2;
    if (dim[0] < 1 || dim[1] < 1 || (t->rank == 3 && t->dim[0] < 1))
        return wrong(f, t, "is empty; a sequence has at least one frame of one number", err);
    if (dim[0] > ATTEND_FEATURES_LONGEST || dim[1] > ATTEND_FEATURES_WIDEST
        || dim[0] * dim[1] > INT32_MAX)
        return wrong(f, t, "is too large; cut it into several", err);
    if (f->width && f->width != (int)dim[1])
        return at_tensor_error(err, ATTEND_FORMAT, f->name, t->name,
                               "has frames of %d numbers, and those before it %d; all must have "
                               "as many",
                               (int)dim[1], f->width);
    f->width = (int)dim[1];
    return ATTEND_OK;
}

static bool make_room(at_features *f, size_t count)
{
    if (count <= f->room)
        return true;
    size_t room = f->room ? 2 * f->room : 64;
    room = room < count ? count : room;
    sequence *more = at_realloc(f->item, f->room * sizeof *more, room * sizeof *more);
    if (!more)
        return false;
    f->item = more;
    f->room = room;
    return true;
}

/* ---- one tensor for all -------------------------------------------------------------------- */

static attend_status read_lengths(const at_features *f, const at_stored *t, const at_stored *all,
                                  int64_t *length, attend_error *err)
{
    if (t->rank != 1 || t->dim[0] != all->dim[0])
        return at_tensor_error(err, ATTEND_FORMAT, f->name, t->name,
                               "has shape %s, and there are %lld sequences; it needs one number "
                               "for each",
                               at_sizes_print(t->rank, t->dim).text, (long long)all->dim[0]);
    attend_status status = at_safetensors_read_int(f->file, t, length, err);
    for (size_t i = 0; i < t->len && status >= 0; i++)
        if (length[i] < 1 || length[i] > all->dim[1])
            status = at_tensor_error(err, ATTEND_FORMAT, f->name, t->name,
                                     "has %lld at index %zu; a sequence has 1 to %lld frames",
                                     (long long)length[i], i, (long long)all->dim[1]);
    return status;
}

static attend_status take_batch(at_features *f, const at_stored *t, const at_stored *lengths,
                                attend_error *err)
{
    attend_status status = check_sizes(f, t, err);
    if (status < 0)
        return status;
    if ((uint64_t)t->dim[0] > UINT32_MAX)
        return wrong(f, t, "has too many sequences; cut it into several files", err);
    size_t n = (size_t)t->dim[0], bytes = t->bytes / n;
    int64_t *length = at_alloc(n * sizeof *length);
    if (!length || !make_room(f, n))
        status = at_error_memory(err);
    if (status >= 0 && lengths)
        status = read_lengths(f, lengths, t, length, err);
    for (size_t i = 0; i < n && status >= 0; i++)
        f->item[f->count++] = (sequence){.data = (const unsigned char *)t->data + i * bytes,
                                         .dtype = t->dtype,
                                         .frames = (int)(lengths ? length[i] : t->dim[1])};
    at_free(length);
    return status;
}

/* ---- one tensor for each ------------------------------------------------------------------- */

static attend_status take_sequence(at_features *f, const at_stored *t, attend_error *err)
{
    if (t->rank != 2)
        return wrong(f, t,
                     "is no sequence; a file has tensors [frames, width], one for each, or one "
                     "[sequences, frames, width] and perhaps lengths [sequences]",
                     err);
    attend_status status = check_sizes(f, t, err);
    if (status >= 0 && !make_room(f, f->count + 1))
        status = at_error_memory(err);
    if (status >= 0)
        f->item[f->count++] = (sequence){t->name, t->data, t->dtype, (int)t->dim[0]};
    return status;
}

static attend_status take_tensors(at_features *f, attend_error *err)
{
    const at_stored *lengths = at_safetensors_find(f->file, "lengths"), *first = NULL;
    int n = at_safetensors_count(f->file);
    attend_status status = ATTEND_OK;
    for (int i = 0; i < n && !first; i++)
        if (at_safetensors_at(f->file, i)->rank == 3)
            first = at_safetensors_at(f->file, i);
    if (n == 0)
        return at_error(err, ATTEND_FORMAT, "%s: no tensor in it; sequences are wanted",
                        at_show(f->name).text);
    if (first && n == 1 + (lengths != NULL))
        return take_batch(f, first, lengths, err);
    for (int i = 0; i < n && status >= 0; i++)
        status = take_sequence(f, at_safetensors_at(f->file, i), err);
    if (status >= 0)
        qsort(f->item, f->count, sizeof *f->item, by_name);
    return status;
}

/* ---- life -------------------------------------------------------------------------------- */

static attend_status take_file(at_features *f, const char *name, attend_error *err)
{
    attend_status status = (f->name = at_strdup(name)) ? ATTEND_OK : at_error_memory(err);
    return status < 0 ? status : take_tensors(f, err);
}

static attend_status watch_size(at_features *f, const char *path, attend_error *err)
{
    struct stat about;
    attend_status status = at_file_open(path, &f->descriptor, err);
    if (status >= 0 && fstat(f->descriptor, &about) < 0)
        status = at_file_fail(err, path, "cannot read");
    f->size = status < 0 ? 0 : about.st_size;
    return status;
}

/* A mapped file that was cut short would end the program with a signal. */
static attend_status check_size(const at_features *f, attend_error *err)
{
    struct stat about;
    if (f->descriptor < 0 || (fstat(f->descriptor, &about) == 0 && about.st_size >= f->size))
        return ATTEND_OK;
    return at_error(err, ATTEND_FILE,
                    "%s: was cut short while it was read; files in use must stay as they are: "
                    "write a new one, and rename it",
                    at_show(f->name).text);
}

attend_status at_features_open(const char *path, at_features **out, attend_error *err)
{
    at_features *f = *out = at_alloc_zero(1, sizeof *f);
    attend_status status = f ? at_safetensors_open(path, &f->file, err) : at_error_memory(err);
    if (f)
        f->descriptor = -1;
    if (status >= 0 && (status = take_file(f, path, err)) >= 0)
        status = watch_size(f, path, err);
    if (status < 0) {
        at_features_close(f);
        *out = NULL;
    }
    return status;
}

attend_status at_features_open_memory(const char *name, const void *bytes, size_t size,
                                      at_features **out, attend_error *err)
{
    at_features *f = *out = at_alloc_zero(1, sizeof *f);
    attend_status status = f ? at_safetensors_open_memory(name, bytes, size, &f->file, err)
                             : at_error_memory(err);
    if (f)
        f->descriptor = -1;
    if (status >= 0)
        status = take_file(f, name, err);
    if (status < 0) {
        at_features_close(f);
        *out = NULL;
    }
    return status;
}

void at_features_close(at_features *f)
{
    if (!f)
        return;
    at_safetensors_close(f->file);
    if (f->descriptor >= 0)
        close(f->descriptor);
    at_arena_free(&f->memory);
    at_free(f->item);
    at_free(f->name);
    at_free(f);
}

size_t at_features_count(const at_features *f) { return f->count; }
int at_features_width(const at_features *f) { return f->width; }
int at_features_frames(const at_features *f, size_t i) { return f->item[i].frames; }
const char *at_features_file(const at_features *f) { return f->name; }

/* ---- numbers ----------------------------------------------------------------------------- */

static at_stored stored(const at_features *f, size_t i, int frames)
{
    const sequence *s = &f->item[i];
    size_t len = (size_t)frames * (size_t)f->width;
    return (at_stored){.name = s->tensor ? s->tensor : "features",
                       .dtype = s->dtype,
                       .rank = 2,
                       .dim = {frames, f->width},
                       .len = len,
                       .bytes = len * at_dtype_size(s->dtype),
                       .data = s->data};
}

attend_status at_features_read(const at_features *f, size_t i, int frames, real *out,
                               attend_error *err)
{
    at_stored part = stored(f, i, frames);
    attend_status status = check_size(f, err);
    if (status >= 0)
        status = at_safetensors_read(f->file, &part, out, err);
    for (size_t k = 0; k < part.len && status >= 0; k++)
        if (!isfinite(out[k]))
            return at_error(err, ATTEND_FORMAT,
                            "%s: sequence '%s' has a number that is not finite in frame %zu, place "
                            "%zu; correct it, or leave the sequence out",
                            at_show(f->name).text, at_features_name(f, i).text,
                            k / (size_t)f->width, k % (size_t)f->width);
    return status;
}

typedef struct {
    double *sum, *square, *shift; /* [width]: of x - shift, where shift is the first frame */
    double frames;
} sums;

static void add(sums *s, const real *x, int frames, int width)
{
    for (int k = 0; k < width && s->frames == 0; k++)
        s->shift[k] = (double)x[k];
    for (int t = 0; t < frames; t++)
        for (int k = 0; k < width; k++) {
            double d = (double)x[(size_t)t * (size_t)width + (size_t)k] - s->shift[k];
            s->sum[k] += d;
            s->square[k] += d * d;
        }
    s->frames += frames;
}

static void finish(const sums *s, int width, at_features_look *look)
{
    for (int k = 0; k < width; k++) {
        double mean = s->sum[k] / fmax(s->frames, 1), d = s->shift[k] + mean;
        double spread = sqrt(fmax(s->square[k] / fmax(s->frames, 1) - mean * mean, 0));
        look->mean[k] = d;
        look->spread[k] = spread > 1e-7 * fmax(fabs(d), 1e-30) ? spread : 1;
    }
}

attend_status at_features_scan(const at_features *f, const bool *counts, at_features_look *look,
                               attend_error *err)
{
    size_t width = (size_t)f->width, longest = 1;
    for (size_t i = 0; i < f->count; i++)
        longest = (size_t)f->item[i].frames > longest ? (size_t)f->item[i].frames : longest;
    double *space = at_alloc_zero(3 * width, sizeof *space);
    real *frames = at_alloc(longest * width * sizeof *frames);
    sums s = {space, space + width, space + 2 * width, 0};
    attend_status status = space && frames ? ATTEND_OK : at_error_memory(err);
    look->print = at_key_join((uint64_t)f->count, (uint64_t)width);
    for (size_t i = 0; i < f->count && status >= 0; i++) {
        int n = f->item[i].frames;
        at_stored part = stored(f, i, n);
        status = at_features_read(f, i, n, frames, err);
        if (status >= 0 && (!counts || counts[i]))
            add(&s, frames, n, f->width);
        if (status >= 0)
            look->print = at_key_join(look->print, at_key_bytes(part.data, part.bytes));
    }
    if (status >= 0 && look->mean)
        finish(&s, f->width, look);
    at_free(space);
    at_free(frames);
    return status;
}

/* ---- making ------------------------------------------------------------------------------ */

attend_status at_features_new(int width, at_features **out, attend_error *err)
{
    *out = NULL;
    if (width < 1 || width > ATTEND_FEATURES_WIDEST)
        return at_error(err, ATTEND_OPTION, "a frame has 1 to %d numbers, not %d",
                        ATTEND_FEATURES_WIDEST, width);
    at_features *f = at_alloc_zero(1, sizeof *f);
    if (f && !(f->name = at_strdup("features in memory"))) {
        at_free(f);
        f = NULL;
    }
    if (f) {
        f->width = width;
        f->descriptor = -1;
    }
    *out = f;
    return f ? ATTEND_OK : at_error_memory(err);
}

attend_status at_features_add(at_features *f, size_t frames, const float *values, attend_error *err)
{
    size_t width = (size_t)f->width;
    if (f->file)
        return at_error(err, ATTEND_OPTION, "%s is a file; nothing can be added to it",
                        at_show(f->name).text);
    if (frames < 1 || frames > ATTEND_FEATURES_LONGEST || frames * width > INT32_MAX)
        return at_error(err, ATTEND_SHAPE, "a sequence has 1 to %d frames, not %zu",
                        ATTEND_FEATURES_LONGEST, frames);
    for (size_t i = 0; i < frames * width; i++)
        if (!isfinite(values[i]))
            return at_error(err, ATTEND_NUMBER, "frame %zu has a number that is not finite",
                            i / width);
    float *copy = at_arena_alloc(&f->memory, frames * width * sizeof *copy);
    if (!copy || !make_room(f, f->count + 1))
        return at_error_memory(err);
    memcpy(copy, values, frames * width * sizeof *copy);
    f->item[f->count++] = (sequence){
        .data = (const unsigned char *)copy, .dtype = ATTEND_DTYPE_F32, .frames = (int)frames};
    return ATTEND_OK;
}

attend_status at_features_save(const at_features *f, const uint32_t *sequences, size_t count,
                               const char *path, attend_error *err)
{
    at_store_list list = {.item = NULL};
    attend_status status = check_size(f, err);
    if (status >= 0 && f->file)
        status = at_safetensors_verify_all(f->file, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < count; i++) {
        size_t from = sequences ? sequences[i] : i;
        char name[24];
        at_stored part = stored(f, from, f->item[from].frames);
        snprintf(name, sizeof name, "%zu", i);
        at_store_add(&list, "", name, at_store_again(&part));
    }
    return at_store_list_save(&list, path, NULL, NULL, err);
}
