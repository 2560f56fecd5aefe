/* init_pass.c - see init_pass.h: by the beginning of the handler's name. */
#include "observe/init_pass.h"

#include "observe/init.h"

#include "exec/exec.h"

#include <string.h>

static const struct {
    const char *prefix;
    enum pass pass;
} pass_of_prefix[] = {
    {"enter", PASS_NONE},       {"bra_if", PASS_BRANCH},  {"brx", PASS_BRANCH},
    {"bra", PASS_NONE},         {"bar_red", PASS_CLEAR},  {"bar", PASS_NONE},
    {"call", PASS_NONE},        {"ret", PASS_NONE},       {"exit", PASS_NONE},
    {"trap", PASS_NONE},        {"no", PASS_NONE}, /* nop, nanosleep; not_ stands below */
    {"copy_param", PASS_NONE},  {"cp_async", PASS_STORE}, {"ld_", PASS_LOAD},
    {"st_", PASS_STORE},        {"atom_", PASS_ATOMIC},   {"local_address", PASS_CLEAR},
    {"activemask", PASS_CLEAR}, {"clock", PASS_CLEAR},    {"selp_", PASS_SELECT},
    {"setp_", PASS_COMPARE},    {"unpack_", PASS_UNPACK}, {"pack_", PASS_COPY},
    {"mov_", PASS_COPY},        {"shfl_", PASS_SHUFFLE},  {"redux_", PASS_ALL},
    {"vote_", PASS_ALL},        {"match_", PASS_ALL},     {"and_b", PASS_COPY},
    {"or_b", PASS_COPY},        {"xor_b", PASS_COPY},     {"shl_", PASS_COPY},
    {"shr_", PASS_COPY},        {"prmt", PASS_COPY},      {"cvt_u", PASS_COPY},
    {"cvt_s", PASS_COPY},       {"bfe", PASS_COPY},       {"bfi", PASS_COPY}};

static enum pass pass_of(const char *name)
{
    if (strncmp(name, "not_", 4) == 0) {
        return PASS_COPY;
    }
    for (unsigned i = 0; i < ARRAY_LENGTH(pass_of_prefix); i++) {
        if (strncmp(name, pass_of_prefix[i].prefix, strlen(pass_of_prefix[i].prefix)) == 0) {
            return pass_of_prefix[i].pass;
        }
    }
    return PASS_COMPUTE;
}

void init_inspect(struct check *c, const struct kernel *k)
{
    for (uint32_t pc = 0; pc < k->code_count; pc++) {
        c->infos[pc].pass = (uint8_t)pass_of(exec_name(k->code[pc].handler));
    }
}
