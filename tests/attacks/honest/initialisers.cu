/* step01-3: has objects that begin before main and end behind it */
#include <cstdio>
#include <map>
#include <string>
static std::map<std::string, int> one = {{"one", 1}};
struct note {
    ~note() { puts("the end"); }
} n_;
int blocks_for(int n, int threads) { return (n + threads - one["one"]) / threads; }
