/* SPDX-License-Identifier: MIT */
/* Leaves without a frame, which a probe must leave so. */
int add(int a, int b);
long six(long a, long b, long c, long d, long e, long f);
double mix(double a, int b, const char *c);
int scan(const char *text);
unsigned hash(const unsigned char *data, unsigned length);
void fill(int *p, int n);

int add(int a, int b)
{
	return a + b;
}

long six(long a, long b, long c, long d, long e, long f)
{
	return a + b + c + d + e + f;
}

double mix(double a, int b, const char *c)
{
	return a * b + *c;
}

int scan(const char *text)
{
	int count = 0;

	while (*text)
		count += *text++ == ' ';
	return count;
}

unsigned hash(const unsigned char *data, unsigned length)
{
	unsigned value = 5381;

	while (length--)
		value = value * 33 ^ *data++;
	return value;
}

void fill(int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = i * n;
}
