/* attend: train, run and look into attention models.
 *
 *     attend_error err;
 *     attend_set_threads(2);
 *     if (attend_something(..., &err) < 0)
 *         fprintf(stderr, "%s\n", err.message);
 *
 * Rules that hold for every function:
 *   - What you were given by a `_new`, `_load` or an `out` argument you free with the function
 *     of the same noun; everything else is borrowed.
 *   - Functions that can fail return an attend_status and fill `err`, which may be NULL.
 *   - The library never exits, aborts or prints; see attend_set_log.
 */
#ifndef ATTEND_H
#define ATTEND_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ATTEND_API __attribute__((visibility("default")))
#else
#define ATTEND_API
#endif

#define ATTEND_VERSION_MAJOR 0
#define ATTEND_VERSION_MINOR 1
#define ATTEND_VERSION_PATCH 0

/* ---- status ---------------------------------------------------------------------------- */

/* name, number, text: one list makes the codes, their names and their texts */
#define ATTEND_STATUS_LIST(X)                                \
    X(OK, 0, "no error")                                     \
    X(MEMORY, -1, "out of memory")                           \
    X(FILE, -2, "a file could not be read or written")       \
    X(FORMAT, -3, "a file does not have the form it claims") \
    X(SHAPE, -4, "tensor sizes do not fit together")         \
    X(OPTION, -5, "an option is unknown or out of range")    \
    X(NUMBER, -6, "a computation left the finite numbers")   \
    X(STOPPED, -7, "stopped by the caller")

typedef enum attend_status {
#define X(name, code, text) ATTEND_##name = code,
    ATTEND_STATUS_LIST(X)
#undef X
} attend_status;

typedef struct attend_error {
    attend_status status;
    char message[400]; /* what, where, which sizes or line, and what to do */
} attend_error;

/* "ATTEND_SHAPE" and "tensor sizes do not fit together"; never NULL */
ATTEND_API const char *attend_status_name(attend_status status);
ATTEND_API const char *attend_status_text(attend_status status);

/* ---- version and machine --------------------------------------------------------------- */

/* "0.1.0" */
ATTEND_API const char *attend_version(void);

/* A few lines of text: version, compiler, instruction set in use, threads, linked libraries.
 * Borrowed until the next call from the same thread. */
ATTEND_API const char *attend_build_info(void);

/* Threads for all later work; 0 asks for one per processor. Returns the number in force.
 * Results of inference do not depend on it. Not safe while other calls are running. */
ATTEND_API int attend_set_threads(int threads);
ATTEND_API int attend_threads(void);

/* ---- log ------------------------------------------------------------------------------- */

typedef enum attend_log_level {
    ATTEND_LOG_DEBUG,
    ATTEND_LOG_INFO,
    ATTEND_LOG_WARNING,
    ATTEND_LOG_ERROR
} attend_log_level;

typedef void attend_log_function(void *user, attend_log_level level, const char *message);

/* Where messages go; NULL (the start value) drops them. Not safe while other calls are running. */
ATTEND_API void attend_set_log(attend_log_function *function, void *user);

#ifdef __cplusplus
}
#endif

#endif
