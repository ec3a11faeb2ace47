/* Weights that are borrowed from a file, as those of a model that is opened are. */
#ifndef ATTEND_BENCH_BORROWED_H
#define ATTEND_BENCH_BORROWED_H

#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "grad/params.h"
#include "store/weights.h"

/* Saves all parameters in one type; their bytes. */
static inline size_t bench_save(const char *path, at_params *params, at_dtype type)
{
    attend_error err;
    at_store_list list = {.item = NULL};
    size_t bytes = 0;
    for (int i = 0; i < at_params_count(params); i++) {
        const at_parameter *p = at_params_at(params, i);
        at_store_add(&list, "", p->name, at_store_values(p->name, type, p->shape, p->value));
        bytes += p->len * at_dtype_size(type);
    }
    if (at_store_list_save(&list, path, NULL, NULL, &err) < 0)
        bench_die(err.message, path);
    return bytes;
}

static inline at_params *bench_open(const char *path)
{
    attend_error err;
    at_params *params = at_params_new(0);
    if (!params || at_weights_borrow(path, params, &err) < 0)
        bench_die(err.message, path);
    at_params_seal(params);
    at_params_share(params);
    return params;
}

/* Runs in a process of its own, whose memory begins small. */
static inline void bench_apart(const char *name, void (*run)(const char *path), const char *path)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run(path);
        fflush(stdout);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        bench_die("failed", name);
}

/* A file that `make` writes, borrowed; it is gone with the process. */
static inline at_params *bench_borrow(const char *name, void (*make)(const char *path))
{
    char path[] = "/tmp/attend-bench-XXXXXX";
    int file = mkstemp(path);
    if (file < 0)
        bench_die("cannot make a file in /tmp", name);
    close(file);
    bench_apart(name, make, path);
    at_params *params = bench_open(path);
    unlink(path);
    return params;
}

#endif
