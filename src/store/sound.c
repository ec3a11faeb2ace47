#include "store/sound.h"

#include <math.h>
#include <sndfile.h>
#include <string.h>

#include "base/file.h"
#include "base/library.h"
#include "base/memory.h"

#define FUNCTIONS(X) X(sf_open) X(sf_readf_float) X(sf_close) X(sf_strerror)
#define X(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(X)
} lib;
#undef X
#define X(name) #name,
static const char *const names[] = {FUNCTIONS(X) NULL};
#undef X
static at_library library = {
    .file = "libsndfile.so.1", .package = "libsndfile1", .symbols = names, .functions = &lib};

enum { MAX_SAMPLES = 1 << 28, MAX_CHANNELS = 64, MIN_RATE = 4000, MAX_RATE = 400000 };

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct {
    const char *path;
    SNDFILE *file;
    SF_INFO info;
    float *samples;
    size_t count, room;
} reading;

static attend_status check(const reading *r, attend_error *err)
{
    const SF_INFO *i = &r->info;
    if (i->channels < 1 || i->channels > MAX_CHANNELS || i->samplerate < MIN_RATE
        || i->samplerate > MAX_RATE)
        return at_error(err, ATTEND_FORMAT,
                        "%s: %d channels of %d samples in a second; sound has 1 to %d channels of "
                        "%d to %d",
                        at_show(r->path).text, i->channels, i->samplerate, (int)MAX_CHANNELS,
                        (int)MIN_RATE, (int)MAX_RATE);
    return ATTEND_OK;
}

static attend_status add(reading *r, const float *block, size_t frames, attend_error *err)
{
    size_t channels = (size_t)r->info.channels;
    if (r->count + frames > MAX_SAMPLES)
        return at_error(err, ATTEND_FORMAT, "%s: more than %d samples; cut it into shorter files",
                        at_show(r->path).text, (int)MAX_SAMPLES);
    if (r->count + frames > r->room) {
        size_t room = 2 * (r->count + frames);
        float *more = at_realloc(r->samples, r->count * sizeof *more, room * sizeof *more);
        if (!more)
            return at_error_memory(err);
        r->samples = more;
        r->room = room;
    }
    for (size_t i = 0; i < frames; i++) {
        double sum = 0;
        for (size_t c = 0; c < channels; c++)
            sum += block[i * channels + c];
        if (!isfinite(sum))
            return at_error(err, ATTEND_FORMAT, "%s: sample %zu is not finite",
                            at_show(r->path).text, r->count);
        r->samples[r->count++] = (float)(sum / (double)channels);
    }
    return ATTEND_OK;
}

static attend_status read_all(reading *r, attend_error *err)
{
    enum { BLOCK = 4096 };
    float *block = at_alloc((size_t)BLOCK * (size_t)r->info.channels * sizeof *block);
    attend_status status = block ? ATTEND_OK : at_error_memory(err);
    for (sf_count_t got = 1; status >= 0 && got > 0;) {
        got = lib.sf_readf_float(r->file, block, BLOCK);
        if (got > 0)
            status = add(r, block, (size_t)got, err);
    }
    if (status >= 0 && r->count == 0)
        status = at_error(err, ATTEND_FORMAT, "%s: there is no sound in it", at_show(r->path).text);
    at_free(block);
    return status;
}

attend_status at_sound_read(const char *path, float **samples, size_t *count, int *rate,
                            attend_error *err)
{
    reading r = {.path = path};
    attend_status status = at_library_load(&library, err);
    *samples = NULL;
    if (status < 0)
        return status;
    if (!at_file_exists(path))
        return at_error(err, ATTEND_FILE, "%s: there is no such file", at_show(path).text);
    r.file = lib.sf_open(path, SFM_READ, &r.info);
    if (!r.file)
        return at_error(err, ATTEND_FORMAT, "%s: not a sound file: %s", at_show(path).text,
                        lib.sf_strerror(NULL));
    status = check(&r, err);
    if (status >= 0)
        status = read_all(&r, err);
    lib.sf_close(r.file);
    if (status < 0)
        at_free(r.samples);
    *samples = status < 0 ? NULL : r.samples;
    *count = r.count;
    *rate = r.info.samplerate;
    return status;
}

/* ---- frames --------------------------------------------------------------------------------- */

static const double window_ms = 25, low = 60, high = 7600, floor_power = 1e-6;
static const double pi = 3.14159265358979323846;

/* The discrete Fourier transform of n complex numbers, a power of two, in place: some lines, where
 * the libraries of Debian are GPL or many times as large as what is needed here. */
static void transform(double *re, double *im, size_t n)
{
    for (size_t i = 1, k = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; k & bit; bit >>= 1)
            k ^= bit;
        k ^= bit;
        if (i < k) {
            double a = re[i], b = im[i];
            re[i] = re[k], im[i] = im[k];
            re[k] = a, im[k] = b;
        }
    }
    for (size_t size = 2; size <= n; size *= 2)
        for (size_t j = 0; j < size / 2; j++) {
            double c = cos(-2 * pi * (double)j / (double)size),
                   s = sin(-2 * pi * (double)j / (double)size);
            for (size_t i = j; i < n; i += size) {
                size_t k = i + size / 2;
                double a = re[k] * c - im[k] * s, b = re[k] * s + im[k] * c;
                re[k] = re[i] - a, im[k] = im[i] - b;
                re[i] += a, im[i] += b;
            }
        }
}

static double mel(double hertz) { return 2595 * log10(1 + hertz / 700); }

/* the weight of a frequency in the triangle of a band */
static double triangle(double hertz, int band, int bands)
{
    double step = (mel(high) - mel(low)) / (bands + 1), at = (mel(hertz) - mel(low)) / step - band;
    return at <= 0 || at >= 2 ? 0 : at <= 1 ? at : 2 - at;
}

typedef struct {
    size_t window, size; /* samples, and the power of two from there on */
    double *re, *im, *hann;
    float *weight; /* [bands][size / 2 + 1] */
} mel_bank;

static bool mel_bank_new(mel_bank *b, int rate, int bands)
{
    b->window = (size_t)(window_ms / 1000 * rate);
    for (b->size = 2; b->size < b->window;)
        b->size *= 2;
    size_t bins = b->size / 2 + 1;
    b->re = at_alloc(b->size * sizeof *b->re);
    b->im = at_alloc(b->size * sizeof *b->im);
    b->hann = at_alloc(b->window * sizeof *b->hann);
    b->weight = at_alloc((size_t)bands * bins * sizeof *b->weight);
    if (!b->re || !b->im || !b->hann || !b->weight)
        return false;
    for (size_t i = 0; i < b->window; i++)
        b->hann[i] = 0.5 - 0.5 * cos(2 * pi * ((double)i + 0.5) / (double)b->window);
    for (int k = 0; k < bands; k++)
        for (size_t i = 0; i < bins; i++)
            b->weight[(size_t)k * bins + i] = (float)triangle((double)i * rate / (double)b->size, k,
                                                              bands);
    return true;
}

static void mel_bank_free(mel_bank *b)
{
    at_free(b->re);
    at_free(b->im);
    at_free(b->hann);
    at_free(b->weight);
}

/* The bands of the window at samples[from]; what is missing at the end is silence. */
static void make_frame(mel_bank *b, const float *samples, size_t count, size_t from, int bands,
                       float *out)
{
    size_t bins = b->size / 2 + 1;
    for (size_t i = 0; i < b->size; i++) {
        bool heard = i < b->window && from + i < count;
        b->re[i] = heard ? b->hann[i] * (double)samples[from + i] : 0;
        b->im[i] = 0;
    }
    transform(b->re, b->im, b->size);
    for (int k = 0; k < bands; k++) {
        double sum = 0;
        for (size_t i = 0; i < bins; i++)
            sum += (double)b->weight[(size_t)k * bins + i]
                   * (b->re[i] * b->re[i] + b->im[i] * b->im[i]);
        out[k] = (float)log(sum / (double)b->window + floor_power);
    }
}

attend_status at_sound_frames(const float *samples, size_t count, int rate, int bands, double hop,
                              float **out, size_t *frames, attend_error *err)
{
    mel_bank b = {0};
    *out = NULL;
    if (bands < 1 || bands > ATTEND_BANDS_MAX || !(hop >= 1 && hop <= 1000))
        return at_error(err, ATTEND_OPTION,
                        "frames of %d bands every %g ms; they can have 1 to %d, every 1 to 1000 ms",
                        bands, hop, (int)ATTEND_BANDS_MAX);
    size_t step = (size_t)(hop / 1000 * rate);
    bool ready = mel_bank_new(&b, rate, bands);
    *frames = count > b.window ? (count - b.window) / step + 1 : 1;
    if (ready)
        *out = at_alloc(*frames * (size_t)bands * sizeof **out);
    for (size_t i = 0; *out && i < *frames; i++)
        make_frame(&b, samples, count, i * step, bands, *out + i * (size_t)bands);
    mel_bank_free(&b);
    return *out ? ATTEND_OK : at_error_memory(err);
}
