/* Pictures of weights and curves. */
#include "attend.h"
#include "base/memory.h"
#include "draw/attention_map.h"
#include "draw/figure.h"

attend_status attend_figure_save(const attend_figure *figure, const char *path, attend_error *err)
{
    return at_figure_save(figure, path, err);
}

attend_status attend_figure_save_animation(const attend_heat_map *map, const char *path,
                                           attend_error *err)
{
    return at_animation_save(map, path, err);
}

attend_status attend_attention_mean(const attend_attention_map *map, double *weights,
                                    attend_error *err)
{
    return at_attention_mean(map, weights, err);
}

attend_status attend_figure_check_path(const char *path, attend_error *err)
{
    return at_figure_check_path(path, err);
}

attend_status attend_heat_map_text(const attend_heat_map *map, const attend_text_style *style,
                                   char **out, attend_error *err)
{
    static const attend_text_style plain = {.columns = 80, .utf8 = 1};
    at_str text = {0};
    *out = NULL;
    attend_status status = at_heat_map_text(&text, map, style ? *style : plain, err);
    if (status >= 0 && !(*out = at_str_take(&text)))
        status = at_error_memory(err);
    at_str_free(&text);
    return status;
}
