# A CUDA tutorial that runs with or without a GPU. `make help` lists what can be made.
#
# BACKEND=auto|sim|gpu   auto: the GPU, if there is one and nvcc is on PATH; else the simulator
# FRONTEND=nvcc|clang    who compiles for the simulator; default: nvcc if on PATH, else clang;
#                        clang-19 names one of several
# V=1                    show the commands; otherwise one line tells what is being compiled
# Everything that is built lies in build/.

BACKEND ?= auto
FRONTEND ?= $(if $(shell command -v nvcc),nvcc,clang)
ifeq ($(BACKEND),auto)
backend := $(if $(shell command -v nvcc),$(if $(shell nvidia-smi -L 2>/dev/null),gpu,sim),sim)
else
backend := $(BACKEND)
endif
ifeq ($(filter $(backend),sim gpu),)
$(error BACKEND=$(BACKEND) is unknown: it is auto, sim or gpu)
endif
ifeq ($(filter nvcc clang clang-%,$(FRONTEND)),)
$(error FRONTEND=$(FRONTEND) is unknown: it is nvcc or clang)
endif
ifeq ($(backend),gpu)
ifeq ($(shell command -v nvcc),)
$(error BACKEND=gpu needs nvcc, and it is not on PATH: BACKEND=sim runs everything without a GPU)
endif
endif
# Where a backend's programs lie: build/gpu, build/sim-nvcc or build/sim-clang.
kind := $(if $(filter gpu,$(backend)),gpu,sim-$(FRONTEND))

# As many jobs as cores, unless the user says how many; `make clean all` is one after the other.
ifeq ($(filter -j% --jobs% --jobserver%,$(MAKEFLAGS))$(filter clean,$(MAKECMDGOALS)),)
MAKEFLAGS += -j$(or $(shell nproc 2>/dev/null),2)
endif
Q := $(if $(V),,@)
# $(call say,TEXT): the one line of a terminal that tells how far it is, with the number of this step.
say = $(Q)$(if $(V),,[ ! -t 2 ] || printf '\r\033[K%s' '$(words $(eval steps_done += x)$(steps_done)) $(1)' >&2)
said = [ ! -t 2 ] || printf '\r\033[K' >&2

CC := gcc
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes $(if $(CI),-Werror)
CFLAGS := -std=c11 -D_GNU_SOURCE -I. -MMD -MP $(WARN)
# Handlers use statement expressions and 128-bit integers, and are built for this very machine. gcc
# prefers vectors of 32 bytes even where there are some of 64; a comparison of 32 lanes, stored as four
# pieces and loaded as two, then waits until the pieces have left the store buffer.
NATIVE := -march=native $(if $(filter x86_64,$(shell uname -m)),-mprefer-vector-width=512)
MACHINE := -std=gnu11 $(NATIVE) -fno-strict-aliasing -fno-math-errno -fno-trapping-math \
           -Wno-pedantic -Wno-conversion -Wno-psabi -Icommon/simt
SANITIZE := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
            -fno-omit-frame-pointer -Wno-error

steps := step01 step02 step03 step04 step05 step06
folder = $(firstword $(wildcard $(1)_*))
# The simulator's sources: one folder for each layer, and the arithmetic that lessons share with it.
simt_libraries := $(wildcard common/simt/libraries/*.c)
simt_sources := $(filter-out $(simt_libraries),$(wildcard common/simt/*/*.c common/simt/check/host/*.c common/gpu/*.c))
simt_shared := common/table.c common/table_text.c # the lessons' tables, for SIMT_REPORT=-
# What lessons have of common/ besides the files that they share with the simulator.
lessons_own := $(patsubst common/%.c,%,$(filter-out common/counters_gpu.c $(simt_shared),$(wildcard common/*.c)))
# common/ without the file that belongs to the other backend
common_names := $(filter-out counters_$(if $(filter gpu,$(backend)),sim,gpu),\
                  $(patsubst common/%,%,$(basename $(wildcard common/*.c common/*.cu common/gpu/*.c))))

first := vector_add picture life # programs of lesson 01: step01_naive/first/

.PHONY: show all help $(steps) $(first) tour test fidelity bench mutate fuzz plots chart slide site data readme clean
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:

# Until a lesson is built, ./run says what to make.
unbuilt = @[ -e run ] || ln -sfn common/unbuilt run
help: ## this list
	$(unbuilt)
	@awk -F ':.*## ' '/^[a-z$$][a-z0-9() $$_-]*:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile
	@echo "  make $(firstword $(steps)) .. $(lastword $(steps)), then ./run    build one lesson; ./run --help tells its options"
	@echo "Variables: BACKEND=auto|sim|gpu (now: $(backend)), FRONTEND=nvcc|clang (now: $(FRONTEND))"

all: $(steps) $(first) ## build all lessons

# --- the simulator, plain and with sanitizers -------------------------------------------------

# Files are compiled in batches, a dozen as one text, which takes half of the time that they take one by one: see
# common/simt/batches.awk and common/simt/BUILT.md. The levels of optimisation are these; what is not named is `plain`.
# hot: what runs for each instruction or each access of a kernel. lanes: the same, of handlers that are not
# optimised with sanitizers, since they are made of macros and would take most of the time. casts: conversions, of which
# the unrolling of -O3 doubles the time and gains nothing. unit: what knows the text that translated kernels include.
# seldom: what runs for some calls of the program, or once for a report: neither for each launch nor for each line of a source.
level_hot := -O3
level_lanes := -O3
level_casts := -O2 -fvect-cost-model=dynamic
level_plain := -O1
level_unit := -O1
level_seldom := -O0
in_simt = $(patsubst common/%.c,%,$(wildcard $(foreach f,$(1),common/simt/$(f).c)))
exec_lanes := half atomic
exec_plain := bulk video device_query device_runtime tensormap conditional
launching := launch request stream cluster runtime children
lanes := $(call in_simt,$(exec_lanes:%=exec/exec_%) exec/matrix_unpack)
casts := $(call in_simt,exec/exec_convert)
hot := $(filter-out $(lanes) $(casts) $(call in_simt,$(exec_plain:%=exec/exec_%)),$(call in_simt,base/* exec/* machine/* watch/* check/* check/host/* time/* api/* $(launching:%=runtime/cudart_%))) \
       $(patsubst common/%.c,%,$(wildcard $(addprefix common/gpu/,access*.c special*.c te*.c)))
unit := simt/translate/compiler simt/translate/translate
seldom := $(call in_simt,$(addprefix report/,array_name assigned computed declared_files expression moved operation* own_file \
              reached record_findings record_timeline report_page report_table result show variables wrapped) \
              $(addprefix runtime/,cudart_advice cudart_array* cudart_device_calls cudart_devices cudart_host cudart_limit \
              cudart_peer cudart_pointer cudart_pool cudart_rejected cudart_texture driver_* graph_capture graph_memory \
              graph_nodes graph_params graph_picture graph_query graph_set graph_update graph_user library nvrtc* \
              registers_kept registry_tables unread wrap_dlopen)) table table_text
simt_files := $(patsubst common/%.c,%,$(simt_sources) $(simt_shared))
level_of = $(or $(strip $(foreach l,hot lanes casts unit seldom,$(if $(filter $(1),$($(l))),$(l)))),plain)
define write_batches
@mkdir -p build/batches
$(Q)printf '%s\n' $(foreach f,$(simt_files),'$(call level_of,$(f)) $(f)') $(lessons_own:%='lesson %') | \
    awk -v most=3000 -v most_hot=1500 -v dir=build/batches -f common/simt/batches.awk >build/batches/list.new
$(Q)cd build/batches && for text in *.c.new; do cmp -s $$text $${text%.new} && rm $$text || mv $$text $${text%.new}; done && mv list.new list.mk
endef
# A folder is newer, too, when a file has gone. A text stays as old as it is where nothing of it changes.
build/batches/list.mk: Makefile common/simt/batches.awk $(patsubst %,common/%.c,$(simt_files) $(lessons_own)) $(sort $(dir $(simt_files:%=common/%.c)))
	$(write_batches)
include build/batches/list.mk
lessons_batches := $(filter shared.lesson.%,$(batches))
batches := $(filter-out $(lessons_batches),$(batches))
build/batches/%.c: build/batches/list.mk
	@:$(if $(wildcard $@),,$(write_batches))
# A batch is named FOLDER.LEVEL.NUMBER. What lessons share (common/gpu) is plain C.
optimise = $(level_$(word 2,$(subst ., ,$*)))
$(foreach f,gpu shared,build/simt/$(f).% build/asan/$(f).% build/tsan/$(f).%): MACHINE := $(NATIVE) -fno-math-errno -fno-trapping-math -Wno-conversion
# A variable that has the name of another file's is no mistake in a batch; build/files warns of real ones.
$(foreach f,simt asan tsan small,build/$(f)/%.o): CFLAGS += -Wno-shadow
build/simt/%.o: build/batches/%.c
	@mkdir -p $(@D)
	$(call say,compiling $*)
	$(Q)$(CC) $(CFLAGS) $(MACHINE) $(optimise) -c $< -o $@
# What translated kernels include, as the compiler reads it now: a program that was linked with this library finds
# this very text, or none, whatever becomes of the sources (common/simt/translate/compiler.h). A product and a sum of
# two handlers meet in one function there, and must be rounded both: no contraction. Handlers that a kernel does not
# use are not compiled (-fwhole-program), and the text is read once, here: of a small kernel's compiling, the one saves a
# quarter and the other as much again. A compiler that cannot use what was read takes the text.
unit_options = -std=gnu11 -O3 $(NATIVE) -fno-strict-aliasing -fno-math-errno -fno-trapping-math -ffp-contract=off \
    -Wno-psabi -w -fPIC -fvisibility=hidden -fwhole-program
build/translated/unit.h: common/simt/translate/unit.h Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(unit_options) -D_GNU_SOURCE -I. -Icommon/simt -MMD -MP -MF $(@:.h=.d) -MT $@ -E -dD -P -x c $< -o $@.new
	$(Q)find $(@D) -name 'unit-*.h' -mtime +0 -delete # programs linked today may still run
	$(Q)rm -f $(@D)/unit-*.gch # 36 MB each
	$(Q)unit="$(CURDIR)/$(@D)/unit-$$(cksum <$@.new | tr ' ' -).h" && mv $@.new "$$unit" && \
	    { $(CC) $(unit_options) -x c-header "$$unit" -o "$$unit.gch" || rm -f "$$unit.gch"; } && \
	    printf '#define SIMT_UNIT "%s"\n#define SIMT_CC "%s"\n#define SIMT_UNIT_OPTIONS %s\n' "$$unit" \
	    '$(CC)' '$(foreach o,$(unit_options),"$(o)",)' | sed 's/, *$$//; s/," "/", "/g' >$@
knows_unit := $(patsubst %,build/simt/%.o,$(filter translate.unit.%,$(batches))) $(unit:%=build/files/%.o)
$(knows_unit): build/translated/unit.h
$(knows_unit): CFLAGS += -include build/translated/unit.h
-include build/translated/unit.d
build/asan/%.o: build/batches/%.c
	@mkdir -p $(@D)
	$(call say,compiling $* with sanitizers)
	$(Q)$(CC) $(CFLAGS) $(MACHINE) $(SANITIZE) $(if $(filter exec.lanes.% exec.casts.% exec.plain.%,$*)$(findstring .seldom.,$*),-O0) -c $< -o $@ # they run seldom
TSAN := -O1 -g1 -fsanitize=thread -fno-omit-frame-pointer -Wno-error -Wno-tsan
build/tsan/%.o: build/batches/%.c
	@mkdir -p $(@D)
	$(call say,compiling $* with the thread sanitizer)
	$(Q)$(CC) $(CFLAGS) $(MACHINE) $(TSAN) $(if $(findstring .seldom.,$*),-O0) -c $< -o $@
# The hostile build (base/hostile.h): the library, in which the batches with such sizes are compiled anew.
small_objects := $(hostile_batches:%=build/small/%.o)
build/small/%.o: build/batches/%.c
	@mkdir -p $(@D)
	$(call say,compiling $* with the smallest tables)
	$(Q)$(CC) $(CFLAGS) $(MACHINE) $(optimise) -DSIMT_HOSTILE -c $< -o $@
build/libsimt-small-parts.a: build/libsimt-parts.a $(small_objects)
	$(Q)cp $< $@ && ar r $@ $(small_objects)
# Each file alone, with all warnings: for tests/symbols.sh and tests/mutate. (gcc 12 fails for intrinsics without -O1.)
build/files/%.o: common/%.c
	@mkdir -p $(@D)
	$(call say,compiling $<)
	$(Q)$(CC) $(CFLAGS) $(if $(filter simt/%,$*),$(MACHINE),$(NATIVE)) $(if $(findstring /matrix_,$<),-O1,-O0) -c $< -o $@
objects_in = $(batches:%=build/$(1)/%.o)
build/libsimt-parts.a: $(call objects_in,simt)
	$(Q)rm -f $@ && ar rcs $@ $^
build/libsimt-asan-parts.a: $(call objects_in,asan)
	$(Q)rm -f $@ && ar rcs $@ $^
build/libsimt-tsan-parts.a: $(call objects_in,tsan)
	$(Q)rm -f $@ && ar rcs $@ $^
build/libsimt-files.a: $(patsubst %,build/files/%.o,$(simt_files))
	$(Q)rm -f $@ && ar rcs $@ $^

# What a program links with: one object in which only CUDA's names and simt_* are global, so that a
# program may call a function or variable of its own `source` or `take`; those of the driver API are weak,
# since programs that load it by hand have variables of these names.
global_names := -w -G 'cuda[A-Z]*' -G 'cu[A-Z]*' -G 'nvrtc*' -G '__cuda*' -G 'simt_*' -G '__wrap_*' --weaken-symbol='cu[A-Z]*' --weaken-symbol='nvrtc*'
build/libsimt.a build/libsimt-asan.a build/libsimt-tsan.a build/libsimt-small.a: build/%.a: build/%-parts.a
	$(Q)ld -r --whole-archive $< -o build/$*.o
	$(Q)objcopy $(global_names) build/$*.o
	$(Q)rm -f $@ && ar rcs $@ build/$*.o
	$(Q)$(said); echo "built the simulator: $@"

# Our cuBLAS, cuFFT, cuRAND, cuSPARSE and cuSOLVER, for programs that ask for one (-lcublas ...): one object as above, with copies of
# what it needs of base/.
libraries_objects := $(simt_libraries:common/simt/%.c=build/simt/%.o) $(patsubst %,build/simt/%.o,$(filter base.%,$(batches)))
build/simt/libraries/%.o: common/simt/libraries/%.c
	@mkdir -p $(@D)
	$(call say,compiling $<)
	$(Q)$(CC) $(CFLAGS) $(MACHINE) -O3 -c $< -o $@
library_names := -w -G 'cublas*' -G 'cufft*' -G 'curand*' -G 'cusparse*' -G 'cusolver*'
build/libsimt-libraries.a: $(libraries_objects)
	$(Q)ld -r $^ -o build/libsimt-libraries.o
	$(Q)objcopy $(library_names) build/libsimt-libraries.o
	$(Q)rm -f $@ && ar rcs $@ build/libsimt-libraries.o
	$(Q)$(said); echo "built the libraries: $@"
.PHONY: libraries
libraries: build/libsimt-libraries.a build/libsimt.a ## our cuBLAS, cuFFT, cuRAND, cuSPARSE and cuSOLVER, for simtcc -lcublas ...

# --- lessons: every .cu and .c of a folder, of its harness/ and summit/, and common/, make one program ---

ifeq ($(backend),gpu)
# 90 for compute capability 9.0. What only that architecture has (wgmma) needs sm_90a.
arch := $(subst .,,$(firstword $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null)))
comma := ,
target = $(if $(arch),-gencode arch=compute_$(arch)$(1)$(comma)code=sm_$(arch)$(1),-arch=native)
compile = nvcc -O3 $(call target,$(suffix_$(arch)_$(notdir $<))) -lineinfo -I. -MMD -MP
suffix_90_tensor.cu := a
suffix_90_tensor_half.cu := a
link = nvcc $(call target)
library :=
compiler :=
else
# Warpgroup instructions exist in PTX for sm_90a alone. -G asks clang for the names of variables: for the hundreds of
# kernels that these two files make of a few templates, it would take 12 and 22 s. Nobody makes a page of a judge.
names = $(if $(filter sweep.cu stream_k.cu,$(notdir $<))$(findstring /exercises/,$<),,-G)
compile = common/simt/simtcc --frontend=$(FRONTEND) $(only_$(notdir $<)) -O2 -g $(names) -I. -MMD
only_tensor.cu := -arch=sm_90a
only_tensor_half.cu := -arch=sm_90a
link = common/simt/simtcc --frontend=$(FRONTEND)
library := build/libsimt.a
compiler := $(addprefix common/simt/cc/,simtcc alignment.awk nested.awk stack.awk variables.awk wide_integer.awk wide_integer.ll)
endif

build/$(kind)/%.cu.o: %.cu $(compiler)
	@mkdir -p $(@D)
	$(call say,compiling $<)
	$(Q)$(compile) -c $< -o $@
build/$(kind)/%.c.o: %.c $(compiler)
	@mkdir -p $(@D)
	$(call say,compiling $<)
	$(Q)$(compile) -c $< -o $@

# Of common/ a lesson on the simulator has the batches of the library that are plain C, and one of the lessons' own.
ifeq ($(backend),gpu)
common_objects := $(patsubst %,build/$(kind)/%.o,$(foreach n,$(common_names),$(wildcard common/$(n).c common/$(n).cu)))
else
common_objects := $(lessons_batches:%=build/$(kind)/%.o) $(patsubst %,build/simt/%.o,$(filter gpu.% shared.%,$(batches)))
build/$(kind)/shared.lesson.%.o: build/batches/shared.lesson.%.c $(compiler)
	@mkdir -p $(@D)
	$(call say,compiling what lessons share)
	$(Q)$(compile) -c $< -o $@
endif
lesson_sources = $(foreach d,$(1) $(1)/harness $(1)/summit,$(wildcard $(d)/*.cu $(d)/*.c))
lesson_objects = $(patsubst %,build/$(kind)/%.o,$(call lesson_sources,$(1))) $(common_objects)
define lesson
build/$(kind)/$(call folder,$(1))/run: $(call lesson_objects,$(call folder,$(1))) $(library)
	$$(Q)$(link) $$(filter %.o,$$^) -o $$@ -ldl
$(1): build/$(kind)/$(call folder,$(1))/run
	@$$(said); ln -sf $$< run && echo "built $(call folder,$(1)) for $(kind); now ./run"
endef
$(foreach step,$(steps),$(if $(call folder,$(step)),$(eval $(call lesson,$(step)))))

.SUFFIXES: # no rule of make's own looks for a step.o
step%:
	@echo "no lesson '$@': there are $(steps); then ./run" >&2 && exit 2

# They stand alone: one file each, nothing of common/.
$(first:%=build/$(kind)/step01_naive/first/%): %: %.cu.o $(library)
	$(Q)$(link) $< -o $@
$(first): %: build/$(kind)/step01_naive/first/%
	@$(said); ln -sf $< run && echo "built $@ for $(kind); now ./run"

# --- exercises: the judge's library, and of each exercise the half that judges it ----------------

judge_objects := $(patsubst %,build/$(kind)/%.o,$(wildcard common/judge/*.c) common/verify.c \
                   $(wildcard common/options*.c) common/counters_$(if $(filter gpu,$(backend)),gpu,sim).c \
                   $(filter-out %_svg.c,$(wildcard common/gpu/draw*.c)) common/gpu/access.c common/gpu/access_banks.c)
build/$(kind)/common/judge/%: compile += -Icommon/simt -D_GNU_SOURCE
build/$(kind)/judge.a: $(judge_objects)
	$(Q)rm -f $@ && ar rcs $@ $^
# What the learner's host code is linked with, and the box that it runs in.
boxed_objects := $(patsubst %,build/$(kind)/%.o,$(wildcard common/judge/boxed/*.c))
build/$(kind)/boxed.a: $(boxed_objects)
	$(Q)rm -f $@ && ar rcs $@ $^
build/box: $(wildcard common/judge/box/*.[ch])
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -O2 $(filter %.c,$^) -o $@
build/similar: common/judge/grading/similar.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -O2 $< -o $@
# The judge of one exercise: its half, and its skeleton, whose kernels lend the learner's their
# addresses: what its compiler calls to register them gets the judge's names (common/judge/learner.c).
skeleton_names := RegisterFatBinary:register_binary RegisterFatBinaryEnd:register_binary_end \
                  UnregisterFatBinary:unregister_binary RegisterFunction:register_function \
                  RegisterVar:register_variable RegisterManagedVar:register_managed InitModule:init_module
build/$(kind)/%.skeleton.o: compile += -w # a skeleton's mistakes are the exercise
build/$(kind)/%.skeleton.o: build/$(kind)/%.cu.o
	$(Q)objcopy $(foreach n,$(skeleton_names),--redefine-sym __cuda$(subst :,=judge_,$(n))) $< $@
build/$(kind)/%.program: build/$(kind)/%.cu.o build/$(kind)/judge.a $(library)
	$(call say,linking $@)
	$(Q)$(link) $(if $(filter gpu,$(backend)),-Xcompiler -rdynamic) $(filter %.o,$^) build/$(kind)/judge.a -o $@ -ldl
judge_halves := $(wildcard step*/exercises/judge/*.cu step*/summit/exercises/judge/*.cu)
$(foreach h,$(judge_halves),$(eval build/$(kind)/$(h:.cu=.program): build/$(kind)/$(subst /judge/,/,$(h:.cu=.skeleton.o))))
.PHONY: judges judging
judging: build/box build/$(kind)/judge.a build/$(kind)/boxed.a $(library)
# SHARE=4: of every fourth exercise, which is what the tests judge through a second front end.
judges: judging $(patsubst %.cu,build/$(kind)/%.program,$(if $(SHARE),$(shell printf '%s\n' $(judge_halves) | awk 'NR % $(SHARE) == 1'),$(judge_halves)))

# What a lecturer gives out: the files that git knows, or all that is not built, without common/answers.
.PHONY: without-solutions
without-solutions: ## the course without its solutions: build/without-solutions.tar.gz
	$(Q)mkdir -p build && { git ls-files 2>/dev/null | grep . || find . \( -type f -o -type l \) ! -path './build/*' ! -path './.git/*'; } | \
	    grep -v '^\(\./\)\{0,1\}common/answers/' | tar czf build/$@.tar.gz --transform 's,^\(\./\)\{0\,1\},cuda-course/,S' -T - && \
	    echo "build/$@.tar.gz: everything but common/answers"

.PHONY: grade
grade: ## judge a class: IN=folder OUT=grades.csv SEED=N EX=step01-7 CONTINUE=1 TRUSTED=1 JOBS=N
	@MAKEFLAGS= make -s build/box
	@MAKEFLAGS= KIND=$(kind) common/judge/grade '$(subst ','\'',$(IN))' '$(subst ','\'',$(OUT))' $(if $(SEED),--seed '$(SEED)') \
	    $(if $(EX),--exercise '$(EX)') $(if $(JOBS),--jobs '$(JOBS)') $(if $(CONTINUE),--continue) $(if $(TRUSTED),--trusted)

# What the way through the exercises is called: common/judge/learn says what each does.
ways := learn next hint solution skip reset exercises
.PHONY: $(ways)
learn: ## the next exercise: shows it, judges it whenever you save
next: ## go on to the next exercise (skip: without having solved it)
hint: ## a hint for the current exercise, one step more each time
solution: ## the solution beside yours (reset: begin the exercise anew)
exercises: ## judge all exercises that were begun; CSV=FILE writes a row for each
$(ways):
	@MAKEFLAGS= KIND=$(kind) CSV='$(CSV)' SEED='$(SEED)' common/judge/learn $@ $(EX) || [ $$? = 1 ]
$(steps:%=%-%) summit-%:
	@MAKEFLAGS= KIND=$(kind) SEED='$(SEED)' common/judge/learn judge $@ || [ $$? = 1 ]

# --- tests ------------------------------------------------------------------------------------

units := $(basename $(notdir $(wildcard tests/unit/test_*.c)))
unit_common := options options_help options_numbers table table_text verify # what they share of common/
check_libs := $(shell pkg-config --libs check 2>/dev/null || echo -lcheck) -lpthread -lm -ldl
# cudart.c is nobody's callee: it must be asked for, as nothing of an archive is taken unasked.
unit_flags := $(CFLAGS) -Icommon/simt -Wno-pedantic -g1
unit_link := -rdynamic -Wl,-u,cudaDeviceReset $(check_libs)

build/unit/common/%.o: common/%.c | build/unit
	$(Q)mkdir -p $(@D) && $(CC) $(unit_flags) -c $< -o $@
build/unit-asan/common/%.o: common/%.c | build/unit-asan
	$(Q)mkdir -p $(@D) && $(CC) $(unit_flags) $(SANITIZE) -c $< -o $@
build/unit/%: tests/unit/%.c $(unit_common:%=build/unit/common/%.o) build/libsimt-parts.a | build/unit
	$(call say,building $@)
	$(Q)$(CC) $(unit_flags) $< $(unit_extra_$*) $(filter %.o %.a,$^) $(unit_link) -o $@
# With sanitizers they are one program, which looks at the name that it is called by: to link the library into each of
# them would take most of their time. Of each object only its main() remains global, as main_of_NAME. Alone are those
# that have names for the library to call, or that must not hold its parts for the host.
alone := test_nvrtc test_hazard test_cudart_host
together := $(filter-out $(alone),$(units))
build/unit-asan/%.o: tests/unit/%.c | build/unit-asan
	$(call say,compiling $< with sanitizers)
	$(Q)$(CC) $(unit_flags) $(SANITIZE) -Wno-missing-prototypes -Dmain=main_of_$* $< $(filter-out -l%,$(unit_extra_$*)) -r -o $@
	$(Q)objcopy --keep-global-symbol=main_of_$* $@
build/unit-asan/all.c: $(units:%=tests/unit/%.c) | build/unit-asan
	$(Q)printf '%s\n' '#include <stdlib.h>' '#include <string.h>' $(foreach u,$(together),'int main_of_$(u)();') \
	    'int main(int n, char **word)' '{' '    const char *name = n > 0 ? strrchr(word[0], 47) : NULL; /* a slash */' \
	    $(foreach u,$(together),'    if (name != NULL && strcmp(name + 1, "$(u)") == 0) return main_of_$(u)(n, word);') '    abort();' '}' >$@
unit_parts_asan := $(unit_common:%=build/unit-asan/common/%.o) build/libsimt-asan-parts.a
build/unit-asan/all: build/unit-asan/all.c $(together:%=build/unit-asan/%.o) $(unit_parts_asan)
	$(call say,linking $@)
	$(Q)$(CC) $(SANITIZE) $^ $(unit_link) -lstdc++ -o $@
$(together:%=build/unit-asan/%): build/unit-asan/all
	$(Q)ln -sf all $@
$(alone:%=build/unit-asan/%): build/unit-asan/%: tests/unit/%.c $(unit_parts_asan) | build/unit-asan
	$(call say,building $@)
	$(Q)$(CC) $(unit_flags) $(SANITIZE) $< $(unit_parts_asan) $(unit_link) -o $@
build/unit-small/%: tests/unit/%.c $(unit_common:%=build/unit/common/%.o) build/libsimt-small-parts.a | build/unit-small
	$(call say,building $@)
	$(Q)$(CC) $(unit_flags) $< $(unit_extra_$*) $(filter %.o %.a,$^) $(unit_link) -o $@
# What tests/mutate links with a mutated object: of each unit test one object, and the libraries.
build/mutate/test_%.o: tests/unit/test_%.c build/libsimt-files.a
	$(Q)mkdir -p $(@D) && $(CC) $(unit_flags) $< $(filter-out -l%,$(unit_extra_test_$*)) -r -o $@
build/mutate/libs:
	$(Q)mkdir -p $(@D) && echo '$(unit_link) -lstdc++' >$@
# The archives of MUTANT's folder, in which its object (the first of a name is taken) stands for the one of this name.
# A mutant is one file's, so all others are files, too (build/files): a batch would go on with the functions of its own.
.PHONY: mutant
libraries_files := $(simt_libraries:common/%.c=build/files/%.o) $(patsubst %,build/files/simt/base/%.o,room handles arena)
mutant:
	$(Q)ld -r -z muldefs $(MUTANT) --whole-archive build/libsimt-files.a -o $(MUTANT).whole && objcopy $(global_names) $(MUTANT).whole
	$(Q)ar rcs $(dir $(MUTANT))libsimt.a $(MUTANT).whole
	$(Q)ld -r -z muldefs $(MUTANT) $(libraries_files) -o $(MUTANT).libraries && objcopy $(library_names) $(MUTANT).libraries
	$(Q)ar rcs $(dir $(MUTANT))libsimt-libraries.a $(MUTANT).libraries
.PHONY: files
files: build/libsimt-files.a $(libraries_files)
unit_extra_test_access := tests/fidelity/probe_pattern.c
unit_extra_test_sample_chain = -DSIMT -isystem common/simt/include common/counters_sim.c
unit_extra_test_judge = -DSIMT -isystem common/simt/include common/counters_sim.c \
                        $(filter-out common/judge/main.c,$(wildcard common/judge/*.c)) -lstdc++
unit_extra_test_libraries := -isystem common/simt/include $(patsubst %,common/simt/libraries/%.c,element dense dense_spectrum fourier sobol)
unit_extra_test_matmul_reference := -O2 # products of 400 x 400, by hand
unit_extra_test_occupancy = $(if $(shell command -v nvcc),-isystem "$(shell common/simt/simtcc --frontend=nvcc --headers)")

.PHONY: units units-asan units-small programs
# Linked by several parts of the tests, each with a library of its own.
programs: $(patsubst %,build/$(kind)/%.o,$(wildcard tests/programs/*.cu)) $(library)
units: $(units:%=build/unit/%)
units-asan: $(units:%=build/unit-asan/%)
units-small: $(units:%=build/unit-small/%)

test: ## all tests; ends with the totals. QUICK=1: the essential ones
	@MAKEFLAGS= CC="$(CC)" QUICK="$(QUICK)" tests/run

fidelity: build/libsimt.a ## counts, outputs and modelled times against those recorded on an H200
	@MAKEFLAGS= tests/fidelity/compare
	@MAKEFLAGS= tests/fidelity/strangers/compare
	@MAKEFLAGS= tests/fidelity/times/compare
	@MAKEFLAGS= tests/fidelity/times/ladders

bench: build/libsimt.a ## speed of the simulator, with its targets
	@MAKEFLAGS= tests/bench/run $(FRONTEND)

mutate: ## would the unit tests notice? Small mistakes in a copy of the sources, and which survive; FILE=TEXT
	@MAKEFLAGS= CC="$(CC)" tests/mutate/run $(FILE)

fuzz: ## fuzz the PTX reader, the fat-binary reader and kernels that run, FUZZ_SECONDS=600 each
	@MAKEFLAGS= tests/fuzz/run $(or $(FUZZ_SECONDS),600)

# --- charts and the tour ------------------------------------------------------------------------

tour: ## install what is missing, run all lessons, draw all charts
	@MAKEFLAGS= plots/tour

show: ## the page of a lesson's launches, STEP=05, ARGS="--n 1000"
	@plots/show "$(STEP)" $(ARGS)

site: ## the course as a static site with live figures: build/site (needs clang for wasm32, wasi-libc, cmark-gfm)
	@MAKEFLAGS= common/site/make

data: all ## run all lessons with CSV on this machine, into build/data
	@MAKEFLAGS= plots/record

plots: ## draw all charts into plots/out; GPU=h200 takes recorded data
	@plots/draw $(if $(GPU),--gpu '$(subst ','\'',$(GPU))')

# CHART=step03_stride STRIDES=1,2,64: any option of the chart's lesson, in capitals.
chart_options := STRIDES OFFSETS N BYTES SPLIT EVERY TRIPS LOCK DRAW BLOCK REGS SHARED WAVES STYLE GPU OUT
# $(call known,NAMES): a variable on the command line that is none of them was mistyped.
known = $(foreach o,$(filter-out $(1) BACKEND FRONTEND V CI CC MAKEFLAGS,$(filter-out -%,$(foreach v,$(MAKEOVERRIDES),$(if $(findstring =,$(v)),$(firstword $(subst =, ,$(v))))))),$(error $(o) is no variable of this target: it takes $(1)))
lower = $(shell printf %s '$(1)' | tr A-Z a-z)
chart: ## one chart for a lecture: CHART=step03_stride STRIDES=1,2,64 STYLE=dark
	$(call known,CHART $(chart_options))@plots/chart '$(CHART)' $(foreach o,$(chart_options),$(if $($(o)),--$(call lower,$(o))='$(subst ','\'',$($(o)))'))

slide: ## what a lesson draws in the terminal, as SVG, PNG, PDF: STEP=02 ARGS=--phases STYLE=dark LINES=3-17
	$(call known,STEP ARGS STYLE LINES OUT)@plots/slide $(foreach o,STYLE LINES OUT,$(if $(filter command%,$(origin $(o))),--$(call lower,$(o))='$(subst ','\'',$($(o)))')) '$(STEP)' $(ARGS)

readme: ## write the figures of recorded data into the READMEs
	@MAKEFLAGS= plots/readme

# For scripts: what BACKEND and FRONTEND come to here, the lessons and what they share, as words for a shell.
.PHONY: decided
decided:
	@echo "backend=$(backend) frontend=$(FRONTEND) kind=$(kind) steps='$(steps)' shared='$(common_objects)'"

clean: ## remove everything that was built
	rm -rf build run plots/out
	$(unbuilt)

build build/unit build/unit-asan build/unit-small:
	@mkdir -p $@

# A header that was moved or removed, or a file of a batch: what included it is compiled anew.
%.h %.cuh common/%.c: ;

-include $(wildcard build/simt/*.d build/simt/libraries/*.d build/asan/*.d build/tsan/*.d build/small/*.d build/files/*.d build/files/*/*.d build/files/*/*/*.d build/files/*/*/*/*.d build/unit/*.d build/unit-small/*.d build/unit/common/*.d build/$(kind)/*.d build/$(kind)/*/*.d build/$(kind)/*/*/*.d build/$(kind)/*/exercises/judge/*.d build/$(kind)/*/summit/exercises/*.d build/$(kind)/*/summit/exercises/judge/*.d build/$(kind)/common/judge/*/*.d)
$(foreach b,$(batches),$(if $(filter %/report_page,$(batch_$(b))),build/simt/$(b).o build/asan/$(b).o)): $(wildcard common/simt/report/page/*)
