/* rejected.h - functions of CUDA that the simulator lacks: they say so, once per call, and return
 * an error. Read once by each of cudart_rejected.c and driver_rejected.c, which define before it:
 *
 * REJECTED_LIST: the file with the rows TOPIC(topic, text) and REJECTED(name, topic)
 * REJECTED_CODE: what the functions return; rejected(call, text) makes it
 *
 * The functions look at no argument, so they are defined without any, under names of their own that
 * the linker sees as CUDA's. */

enum topic {
#define TOPIC(topic, text) topic,
#define REJECTED(name, topic)
#include REJECTED_LIST
#undef TOPIC
#undef REJECTED
};

static REJECTED_CODE reject(const char *call, enum topic topic)
{
    static const char *const texts[] = {
#define TOPIC(topic, text) [topic] = text,
#define REJECTED(name, topic)
#include REJECTED_LIST
#undef TOPIC
#undef REJECTED
    };
    return rejected(call, texts[topic]);
}

#define TOPIC(topic, text)
#define REJECTED(name, topic)                                                                      \
    REJECTED_CODE rejected_##name(void) __asm__(#name);                                            \
    REJECTED_CODE rejected_##name(void) { return reject(#name, topic); }
#include REJECTED_LIST
#undef TOPIC
#undef REJECTED
