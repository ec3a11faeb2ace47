/* Says which attend this is and what it runs on. */
#include <attend.h>
#include <stdio.h>

static void show(void *user, attend_log_level level, const char *message)
{
    (void)user;
    fprintf(stderr, "%d: %s\n", (int)level, message);
}

int main(void)
{
    attend_set_log(show, NULL);
    printf("%d threads\n", attend_set_threads(2));
    printf("%s", attend_build_info());
    return 0;
}
