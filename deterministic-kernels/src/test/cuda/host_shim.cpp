// A GPU made of g++: every kernel of src/main/cuda compiled for the host, driven over standard input and output by the test
// class HostShimDevice. A second opinion on the kernels beside the PTX emulator, and a finder of races: the threads of a block
// run one after the other from barrier to barrier, in ascending, descending or random order, and the bits may not depend on it.
//
// Every buffer ends at a page that may not be touched, and starts out as NaN.
#include "host_shim.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "activation.cu"
#include "adamw.cu"
#include "attention.cu"
#undef PRODUCT
#undef SHAPE
#include "bf16.cu"
#include "columns.cu"
#include "combining.cu"
#include "crossentropy.cu"
#include "dropout.cu"
#include "embedding.cu"
#include "functions.cu"
#include "hashing.cu"
#include "initial.cu"
#include "layernorm.cu"
#include "linear.cu"
#include "rmsnorm.cu"
#include "robust.cu"
#include "rope.cu"
#include "sgd.cu"
#include "sums.cu"

uint3_ threadIdx, blockIdx, blockDim, gridDim;

namespace {

enum State { READY, AT_BARRIER, AT_SHUFFLE, DONE };

struct Fiber {
  void* stack_pointer;
  State state;
  uint32_t value;  // given to a shuffle, then got from it
  unsigned mask;
};

const size_t STACK_BYTES = 64 * 1024;
const int MOST_THREADS = 1024;

Fiber fibers[MOST_THREADS];
char* stacks;
void* scheduler;
int current;
const std::function<void()>* body;
unsigned order_kind;  // 0 ascending, 1 descending, 2 random
uint64_t order_state;

uint64_t next_random() {
  uint64_t z = (order_state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

}  // namespace

// Saves the callee-saved registers and the stack of the caller, goes on with another.
extern "C" void switch_stack(void** save, void* load);
asm(R"(
.globl switch_stack
switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

namespace {

void set_aside(State state) {
  fibers[current].state = state;
  switch_stack(&fibers[current].stack_pointer, scheduler);
}

extern "C" void fiber_main() {
  (*body)();
  set_aside(DONE);
  abort();
}

void prepare(int t) {
  void** top = (void**)(stacks + (t + 1) * STACK_BYTES);
  *--top = nullptr;
  *--top = (void*)fiber_main;
  for (int i = 0; i < 6; i++) {
    *--top = nullptr;
  }
  fibers[t].stack_pointer = top;
  fibers[t].state = READY;
}

std::vector<unsigned> permutation(unsigned n) {
  std::vector<unsigned> order(n);
  for (unsigned i = 0; i < n; i++) {
    order[i] = order_kind == 1 ? n - 1 - i : i;
  }
  for (unsigned i = n; order_kind == 2 && i > 1; i--) {
    std::swap(order[i - 1], order[next_random() % i]);
  }
  return order;
}

// Lets the shuffle of a warp happen if all its threads have come to it.
bool shuffle(unsigned first, unsigned threads) {
  unsigned end = first + 32 < threads ? first + 32 : threads;
  uint32_t values[32];
  for (unsigned t = first; t < end; t++) {
    if (fibers[t].state != AT_SHUFFLE) {
      return false;
    }
    values[t - first] = fibers[t].value;
  }
  for (unsigned t = first; t < end; t++) {
    unsigned partner = (t - first) ^ fibers[t].mask;
    fibers[t].value = partner < end - first ? values[partner] : fibers[t].value;
    fibers[t].state = READY;
  }
  return true;
}

std::string run_block() {
  unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  for (unsigned t = 0; t < threads; t++) {
    prepare(t);
  }
  while (true) {
    unsigned counts[4] = {0, 0, 0, 0};
    for (unsigned t : permutation(threads)) {
      if (fibers[t].state == READY) {
        current = t;
        threadIdx = uint3_{t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
        switch_stack(&scheduler, fibers[t].stack_pointer);
      }
      counts[fibers[t].state]++;
    }
    if (counts[DONE] == threads) {
      return "";
    }
    if (counts[AT_BARRIER] == threads) {
      for (unsigned t = 0; t < threads; t++) {
        fibers[t].state = READY;
      }
      continue;
    }
    bool any = false;
    for (unsigned first = 0; first < threads; first += 32) {
      any |= shuffle(first, threads);
    }
    if (!any) {
      return std::to_string(counts[DONE]) + " threads are done, " + std::to_string(counts[AT_BARRIER]) +
             " at a barrier, " + std::to_string(counts[AT_SHUFFLE]) + " at a shuffle";
    }
  }
}

typedef std::function<void(const uint64_t*)> Kernel;

template <class T>
T argument(uint64_t raw) {
  T value;
  memcpy(&value, &raw, sizeof(T));
  return value;
}

template <class... A, size_t... I>
Kernel wrap(void (*kernel)(A...), std::index_sequence<I...>) {
  return [kernel](const uint64_t* raw) { kernel(argument<A>(raw[I])...); };
}

// A kernel and the bytes that each of its parameters takes.
struct Entry {
  std::vector<size_t> parameters;
  Kernel run;
};

template <class... A>
Entry wrap(void (*kernel)(A...)) {
  return Entry{{sizeof(A)...}, wrap(kernel, std::index_sequence_for<A...>())};
}

#define ENTRY(NAME) {#NAME, wrap(NAME)}
const std::map<std::string, Entry>& kernels() {
  static const std::map<std::string, Entry> all = {
#include "kernels.inc"  // one ENTRY for each .entry of the shipped PTX; the test writes it
  };
  return all;
}

void take(void* to, size_t n) {
  for (char* at = (char*)to; n > 0;) {
    ssize_t got = read(0, at, n);
    if (got <= 0) {
      _exit(0);
    }
    at += got;
    n -= got;
  }
}

template <class T>
T take() {
  T value;
  take(&value, sizeof value);
  return value;
}

void give(const void* from, size_t n) {
  if (fwrite(from, 1, n, stdout) != n) {
    _exit(1);
  }
}

void answer(const std::string& error) {
  uint32_t length = error.size();
  give(&length, 4);
  give(error.data(), length);
}

const size_t PAGE = 4096;

struct Mapping {
  void* base;
  size_t bytes;
};
std::map<uint64_t, Mapping> mappings;

uint64_t allocate(uint64_t bytes) {
  size_t payload = (bytes + 15) / 16 * 16;
  size_t whole = (payload + PAGE - 1) / PAGE * PAGE + PAGE;
  char* base = (char*)mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) {
    _exit(1);
  }
  mprotect(base + whole - PAGE, PAGE, PROT_NONE);
  uint64_t address = (uint64_t)(base + whole - PAGE - payload);
  memset((void*)address, 0xff, payload);
  mappings[address] = Mapping{base, whole};
  return address;
}

void release(uint64_t address) {
  munmap(mappings[address].base, mappings[address].bytes);
  mappings.erase(address);
}

// Runs a kernel in the grid of gridDim and blockDim; says what is wrong, or nothing.
std::string run_grid(const std::string& name, const Entry& entry, const uint64_t* raw) {
  std::function<void()> one = [&] { entry.run(raw); };
  body = &one;
  unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  for (unsigned b : permutation(blocks)) {
    blockIdx = uint3_{b % gridDim.x, b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y};
    std::string error = run_block();
    if (!error.empty()) {
      return name + " block " + std::to_string(b) + ": " + error;
    }
  }
  return "";
}

// Stacks for the threads of a block; false on a host that is unfit.
bool prepare_host() {
  volatile float smallest = 0x1p-126f;
  if (smallest / 2 == 0) {
    fprintf(stderr, "subnormal numbers are flushed to zero here\n");
    return false;
  }
  stacks = (char*)mmap(nullptr, STACK_BYTES * MOST_THREADS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return stacks != MAP_FAILED;
}

std::string launch() {
  uint32_t length = take<uint32_t>();
  std::string name(length, ' ');
  take(&name[0], length);
  take(&gridDim, sizeof gridDim);
  take(&blockDim, sizeof blockDim);
  uint32_t count = take<uint32_t>();
  std::vector<uint64_t> raw(count);
  take(raw.data(), 8 * count);
  auto found = kernels().find(name);
  if (found == kernels().end()) {
    return "no kernel is called " + name;
  }
  size_t parameters = found->second.parameters.size();
  if (parameters != count) {
    return name + " takes " + std::to_string(parameters) + " parameters, got " + std::to_string(count);
  }
  return run_grid(name, found->second, raw.data());
}

}  // namespace

void barrier() { set_aside(AT_BARRIER); }

uint32_t shuffle_xor(uint32_t value, unsigned mask) {
  fibers[current].value = value;
  fibers[current].mask = mask;
  set_aside(AT_SHUFFLE);
  return fibers[current].value;
}

int main() {
  if (!prepare_host()) {
    return 1;
  }
  while (true) {
    uint32_t command = take<uint32_t>();
    switch (command) {
      case 1: {
        uint64_t address = allocate(take<uint64_t>());
        answer("");
        give(&address, 8);
        break;
      }
      case 2:
        release(take<uint64_t>());
        answer("");
        break;
      case 3: {
        uint64_t to = take<uint64_t>();
        take((void*)to, take<uint64_t>());
        answer("");
        break;
      }
      case 4: {
        uint64_t from = take<uint64_t>();
        uint64_t bytes = take<uint64_t>();
        answer("");
        give((const void*)from, bytes);
        break;
      }
      case 5: {
        uint64_t from = take<uint64_t>();
        uint64_t to = take<uint64_t>();
        memcpy((void*)to, (const void*)from, take<uint64_t>());
        answer("");
        break;
      }
      case 6: {
        uint64_t at = take<uint64_t>();
        memset((void*)at, 0, take<uint64_t>());
        answer("");
        break;
      }
      case 7:
        answer(launch());
        break;
      case 8:
        order_kind = take<uint32_t>();
        order_state = take<uint64_t>();
        answer("");
        break;
      default:
        return 1;
    }
    fflush(stdout);
  }
}
