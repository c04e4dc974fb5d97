/* SPDX-License-Identifier: MIT */
int part_run(void);

int main(void)
{
	return part_run() == 7 ? 0 : 1;
}
