/* SPDX-License-Identifier: MIT */
#include "svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "text.h"

/* Pixels */
#define WIDTH 960
#define LABEL 230 /* role names, right-aligned before the bars */
#define VALUES 190
#define TOP 84
#define ROW 30
#define BAR 10

#define LABEL_COLUMNS 30 /* longer names are cut */
#define LOG_FROM 32.0	 /* largest over smallest bar; a linear scale would hide the small ones */

struct scale {
	double low, high; /* bytes at the left and right end */
	bool log;
};

static double position(const struct scale *scale, uint64_t bytes)
{
	double span = WIDTH - LABEL - VALUES, part;

	if (scale->log)
		part = (log2((double)bytes + 1) - log2(scale->low)) /
		       (log2(scale->high) - log2(scale->low));
	else
		part = (double)bytes / scale->high;
	return LABEL + span * (part < 0 ? 0 : part > 1 ? 1 : part);
}

static bool shown(const struct row *row)
{
	return row->sum.usable_max && row->sum.measured;
}

static struct scale choose_scale(const struct rows *rows)
{
	uint64_t smallest = UINT64_MAX, largest = 1;
	struct scale scale;
	size_t i;

	for (i = 0; i < rows->count; i++) {
		const struct row *row = &rows->rows[i];

		if (!shown(row))
			continue;
		if (row->sum.usable_max > largest)
			largest = row->sum.usable_max;
		if (row->line.usable > largest)
			largest = row->line.usable;
		if (row->sum.peak_high < smallest)
			smallest = row->sum.peak_high;
	}
	if (smallest == UINT64_MAX || smallest < 256)
		smallest = 256;
	scale.log = (double)largest / (double)smallest > LOG_FROM;
	scale.low = scale.log ? exp2(floor(log2((double)smallest)) - 1) : 0;
	scale.high = scale.log ? exp2(ceil(log2((double)largest))) : (double)largest;
	if (scale.high <= scale.low)
		scale.high = scale.low * 2 + 1;
	return scale;
}

static void put_text(FILE *to, const char *text)
{
	char *visible = text_visible(text), *at;

	for (at = visible; *at; at++) {
		switch (*at) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		default:
			fputc(*at, to);
		}
	}
	free(visible);
}

/* Cut to LABEL_COLUMNS at a character's border. */
static void put_label(FILE *to, const char *text)
{
	char *visible = text_visible(text);
	size_t at = 0, columns = 0, length;
	uint32_t rune;

	while (visible[at] && columns < LABEL_COLUMNS) {
		length = text_rune(visible + at, &rune);
		at += length ? length : 1;
		columns++;
	}
	if (visible[at]) {
		visible[at] = '\0';
		put_text(to, visible);
		fputs("\u2026", to);
	} else {
		put_text(to, visible);
	}
	free(visible);
}

static void put_axis(FILE *to, const struct scale *scale, double bottom)
{
	char bytes[TEXT_BYTES_SIZE];
	int i;

	for (i = 0;; i++) {
		double at = scale->log ? scale->low * exp2(2.0 * i) : scale->high / 4 * i;
		double x = position(scale, (uint64_t)at);

		if (at > scale->high * 1.001)
			break;
		fprintf(to,
			"<line x1='%.1f' y1='%d' x2='%.1f' y2='%.1f' class='grid'/>"
			"<text x='%.1f' y='%d' class='axis'>%s</text>\n",
			x, TOP - 8, x, bottom, x, TOP - 14, text_bytes(bytes, (uint64_t)at));
	}
}

static void put_row(FILE *to, const struct scale *scale, const struct row *row, bool sections,
		    int y)
{
	char given[TEXT_BYTES_SIZE], used[TEXT_BYTES_SIZE], next[TEXT_BYTES_SIZE];

	fprintf(to, "<text x='%d' y='%d' class='role'>", LABEL - 10, y + BAR + 4);
	put_label(to, row->role->name);
	if (sections) {
		fputs(" (", to);
		put_text(to, row->role->section);
		fputc(')', to);
	}
	fprintf(to,
		"</text><rect x='%d' y='%d' width='%.1f' height='%d' class='given'/>"
		"<rect x='%d' y='%d' width='%.1f' height='%d' class='used%s'/>\n",
		LABEL, y, position(scale, row->sum.usable_max) - LABEL, BAR, LABEL, y + BAR,
		position(scale, row->sum.peak_high) - LABEL, BAR,
		row->zone == ZONE_HIGH ? " high" : "");
	if (row->line.usable) {
		double x = position(scale, row->line.usable);

		fprintf(to, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='next'/>\n", x, y - 2,
			x, y + 2 * BAR + 2);
	}
	fprintf(to, "<text x='%d' y='%d' class='value'>%s of %s%s%s</text>\n", WIDTH - VALUES + 10,
		y + BAR + 4, text_bytes(used, row->sum.peak_high),
		text_bytes(given, row->sum.usable_max), row->line.usable ? ", next " : "",
		row->line.usable ? text_bytes(next, row->line.usable) : "");
}

int svg_print(const struct rows *rows, FILE *to)
{
	struct scale scale = choose_scale(rows);
	size_t count = 0, i;
	int y = TOP;

	for (i = 0; i < rows->count; i++)
		count += shown(&rows->rows[i]);
	fprintf(to,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
		"viewBox='0 0 %d %d' font-family='DejaVu Sans, Verdana, sans-serif'>\n"
		"<style>.given{fill:#c9d4e0}.used{fill:#2f6f9f}.used.high{fill:#b5342c}"
		".grid{stroke:#e4e4e4}.next{stroke:#111;stroke-width:2}"
		".axis{font-size:11px;fill:#666;text-anchor:middle}"
		".role{font-size:12px;text-anchor:end}.value{font-size:11px;fill:#333}"
		".title{font-size:16px}.key{font-size:12px}</style>\n"
		"<rect width='100%%' height='100%%' fill='#fff'/>\n"
		"<text x='16' y='26' class='title'>Stack given and stack used, per role "
		"(usable bytes, %s scale)</text>\n",
		WIDTH, TOP + ROW * (int)count + 16, WIDTH, TOP + ROW * (int)count + 16,
		scale.log ? "logarithmic" : "linear");
	fprintf(to, "<rect x='16' y='38' width='14' height='10' class='given'/>"
		    "<text x='36' y='48' class='key'>given</text>"
		    "<rect x='92' y='38' width='14' height='10' class='used'/>"
		    "<text x='112' y='48' class='key'>used (peak)</text>"
		    "<rect x='204' y='38' width='14' height='10' class='used high'/>"
		    "<text x='224' y='48' class='key'>used, High Zone</text>"
		    "<line x1='344' y1='35' x2='344' y2='51' class='next'/>"
		    "<text x='352' y='48' class='key'>next compile</text>\n");
	put_axis(to, &scale, TOP + ROW * (double)count);
	for (i = 0; i < rows->count; i++) {
		if (!shown(&rows->rows[i]))
			continue;
		put_row(to, &scale, &rows->rows[i], rows->sections, y);
		y += ROW;
	}
	fputs("</svg>\n", to);
	return fflush(to) != 0 || ferror(to) ? -EIO : 0;
}
