// SPDX-License-Identifier: MIT
/* The screen in the hall: a tree of widgets drawn by virtual functions into scan lines. */
#include "hub.h"

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace
{

constexpr uint32_t renderers = 2;
constexpr uint32_t width = 1024;
constexpr uint32_t deepest = 24; /* widgets in widgets; the layout editor refuses more */

struct canvas {
	uint32_t line[width];
};

class widget
{
      public:
	explicit widget(uint32_t ink) : colour(ink)
	{
	}
	virtual ~widget() = default;

	/* Every widget draws its children into a canvas of its own and blends it. */
	virtual void draw(canvas &below) const
	{
		canvas own;

		std::memset(&own, static_cast<int>(colour & 127), sizeof(own));
		for (const auto &child : children)
			child->draw(own);
		for (uint32_t x = 0; x < width; x++)
			below.line[x] = below.line[x] * 3 + own.line[x];
	}

	uint32_t colour;
	std::vector<std::unique_ptr<widget>> children;
};

/* A picture frame smooths what is in it: two more lines. */
class frame final : public widget
{
      public:
	using widget::widget;

	void draw(canvas &below) const override
	{
		canvas rows[3] = { below, below, below };

		for (const auto &child : children)
			child->draw(rows[1]);
		for (uint32_t x = 1; x + 1 < width; x++)
			below.line[x] = rows[0].line[x] + rows[1].line[x - 1] + rows[2].line[x + 1];
	}
};

std::unique_ptr<widget> layout(task *task, uint32_t depth)
{
	auto ink = static_cast<uint32_t>(input_next(task));
	std::unique_ptr<widget> root;

	if (depth % 3 == 0)
		root = std::make_unique<frame>(ink);
	else
		root = std::make_unique<widget>(ink);
	if (depth) {
		root->children.push_back(layout(task, depth - 1));
		if (depth % 4 == 0)
			root->children.push_back(layout(task, 1));
	}
	return root;
}

uint64_t draw_screen(task *task, const std::function<uint64_t(const canvas &)> &show)
{
	canvas screen[256];
	uint64_t hash = 0;

	std::memset(screen, 1, sizeof(screen));
	for (uint32_t y = 0; y < 256; y += 32)
		layout(task, input_range(task, deepest - 6, deepest))->draw(screen[y]);
	for (const auto &row : screen)
		hash = mix(hash, show(row));
	return hash;
}

TEK_ROLE("ui renderer") void *ui_renderer(void *argument)
{
	auto *task = static_cast<struct task *>(argument);
	uint32_t round = 0;

	if (!task_begin(task))
		return nullptr;
	while (task_round(task, &round)) {
		task_post(task, draw_screen(task, [round](const canvas &row) {
				  return mix_bytes(round, row.line, sizeof(row.line));
			  }));
	}
	return task_end(task);
}

} // namespace

int ui_start(struct hub *hub)
{
	int error = 0;

	for (uint32_t i = 0; i < renderers && !error; i++) {
		struct task *task = hub_task(hub, i);

		error = hub_started(hub, task,
				    pthread_create(&task->thread, nullptr, ui_renderer, task));
	}
	return error;
}
