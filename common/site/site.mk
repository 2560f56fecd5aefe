# The site's own rules: `make site` calls this file from the top of the tree, after common/site/make has
# seen that the tools are there. WASM_CC, WASM_AR and FRONTEND: as that script has found them.
out := build/site-objects
site := build/site

# The simulator from base to watch and time, races, and of reports what writes a record; without
# what asks an operating system, for which wasm/host.c stands in.
left_out := base/describe base/host_array base/demangle machine/memory_host
layers := base ptx ir ptxas decode machine exec translate watch check time api
of_reports := $(filter-out %/report_page.c,$(wildcard common/simt/report/*.c))
engine := $(wildcard common/site/wasm/*.c)
portable := $(filter-out $(left_out:%=common/simt/%.c),$(wildcard $(layers:%=common/simt/%/*.c))) \
            $(wildcard common/gpu/*.c) $(engine)

# -O3 where kernels run, as in the Makefile.
optimise = -O2
$(foreach d,exec machine watch,$(eval $(out)/wasm/common/simt/$(d)/%.o: optimise = -O3))
wasm_flags := --target=wasm32-wasi -msimd128 -mbulk-memory -std=gnu11 -D_GNU_SOURCE -DNDEBUG -I$(out)/include -I. -Icommon/simt \
              -include common/site/wasm/host.h -fno-strict-aliasing -fno-math-errno -fno-trapping-math -MMD -MP \
              -Wall -Wextra $(if $(CI),-Werror) -Wno-unused-parameter -Wno-unknown-pragmas -Wno-bitwise-instead-of-logical
link_wasm = $(WASM_CC) --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections,--strip-all,--wrap=exec_find -Wl,-z,stack-size=1048576
native_flags := -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra $(if $(CI),-Werror) -I. -Icommon/simt
native_libs := -rdynamic -lm -lpthread -ldl
missing_headers := pthread.h dlfcn.h spawn.h unwind.h elf.h sched.h sys/mman.h sys/wait.h sys/sysinfo.h sys/resource.h

# Of each lesson the record of its run. One thread and the default GPU: the same tree gives the same bytes.
lessons := $(wildcard step[0-9][0-9]_*)
records := $(lessons:%=$(out)/records-$(FRONTEND)/%.json)

.PHONY: all lessons
all: $(out)/engine.wasm $(records)
	@FRONTEND="$(FRONTEND)" common/site/write $(site) $< $(out)/records-$(FRONTEND)

$(missing_headers:%=$(out)/include/%):
	@mkdir -p $(@D) && echo '#include "common/site/wasm/host.h"' >$@
$(out)/wasm/%.o: %.c | $(missing_headers:%=$(out)/include/%)
	@mkdir -p $(@D)
	@$(WASM_CC) $(wasm_flags) $(optimise) -c $< -o $@
# Of reports what is asked for.
$(out)/reports.a: $(of_reports:%.c=$(out)/wasm/%.o)
	@rm -f $@ && $(WASM_AR) rcs $@ $^
$(out)/engine.wasm: $(portable:%.c=$(out)/wasm/%.o) $(out)/reports.a
	@$(link_wasm) $^ -lm -o $@

# ---- the lessons, and the records of their launches ---------------------------------------------------------

lessons:
	@MAKEFLAGS= $(MAKE) -s BACKEND=sim FRONTEND="$(FRONTEND)" $(lessons:%=build/sim-$(FRONTEND)/%/run) >$(out)/lessons.log 2>&1 || { cat $(out)/lessons.log; exit 1; }
$(records): $(out)/records-$(FRONTEND)/%.json: lessons | $(out)/engine.wasm
	@common/site/record "$*" "$(FRONTEND)" $@

# ---- for tests/site: the same engine as a native program, and recorded launches run again ----------------

parts := build/libsimt-parts.a
.PHONY: tests
tests: $(out)/native $(out)/replay $(out)/replay.wasm
$(parts): | lessons
	@MAKEFLAGS= $(MAKE) -s $@
$(out)/native: $(engine) $(wildcard common/site/wasm/*.h) $(parts)
	@mkdir -p $(@D)
	@gcc $(native_flags) $(filter-out %/host.c %/host_fma.c,$(engine)) $(parts) $(native_libs) -o $@

replay_objects := $(filter-out $(out)/wasm/common/site/wasm/engine.o %/request.o %/exports.o,$(portable:%.c=$(out)/wasm/%.o)) 
$(out)/replay.wasm: $(out)/wasm/tests/site/replay.o $(replay_objects)
	@$(link_wasm) $^ -lm -o $@
$(out)/replay: tests/site/replay.c tests/site/record.h $(parts)
	@gcc $(native_flags) $< $(parts) $(native_libs) -o $@

-include $(patsubst %.c,$(out)/wasm/%.d,$(portable) $(of_reports))
