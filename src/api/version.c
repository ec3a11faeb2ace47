/* attend_version and attend_build_info: what this library is and what it runs on. */
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "attend.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/real.h"

#define TEXT(x) #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

void attend_free(void *memory) { at_free(memory); }

const char *attend_version(void)
{
    return DOTTED(ATTEND_VERSION_MAJOR, ATTEND_VERSION_MINOR, ATTEND_VERSION_PATCH);
}

typedef struct {
    char *text;
    size_t size, used;
} buffer;

/* the file name of a loaded library, appended to the buffer */
static int add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    buffer *b = arg;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(name, "lib", 3) != 0 || b->used + strlen(name) + 2 > b->size)
        return 0; /* the program itself, the loader, the kernel's page */
    b->used += (size_t)snprintf(b->text + b->used, b->size - b->used, " %s", name);
    return 0;
}

const char *attend_build_info(void)
{
    static _Thread_local char text[2000];
    buffer b = {.text = text, .size = sizeof text};
    b.used = (size_t)snprintf(text, sizeof text,
                              "version: %s\n"
                              "compiler: " COMPILER "\n"
                              "numbers: %s\n"
                              "instructions: %s\n"
                              "best instructions: %s\n"
                              "threads: %d\n"
                              "libraries:",
                              attend_version(), sizeof(real) == 8 ? "double" : "float",
                              at_isa_name(at_cpu_isa()), at_isa_name(at_cpu_best()),
                              attend_threads());
    dl_iterate_phdr(add_library, &b);
    snprintf(text + b.used, sizeof text - b.used, "%s\n", "");
    return text;
}
