#include "cli/grid.h"

#include <string.h>

#include "base/file.h"
#include "base/number.h"

attend_status at_grid_read(const char *text, at_grid *grid, attend_error *err)
{
    enum { MAX = 256 };
    long long columns, rows;
    size_t size = strcspn(text, "x");
    if (!text[size] || !at_number_whole(text, size, &columns)
        || !at_number_whole(text + size + 1, strlen(text + size + 1), &rows) || columns < 1
        || columns > MAX || rows < 1 || rows > MAX)
        return at_error(err, ATTEND_OPTION,
                        "--grid %s: write COLUMNSxROWS of patches, such as 8x8, 1x1 to %dx%d",
                        at_show(text).text, (int)MAX, (int)MAX);
    *grid = (at_grid){(int)columns, (int)rows};
    return ATTEND_OK;
}
