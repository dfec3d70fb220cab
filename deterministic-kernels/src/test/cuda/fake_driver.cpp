// libcuda.so.1 made of g++: the part of NVIDIA's driver that kernels.cuda calls, with the kernels of host_shim.cpp in place of a
// card's. It lets everything between Java and the driver run without a card: JCuda's linking, its marshalling of parameters and
// offsets, contexts, and what comes of errors. What it knows of PTX is the names of the entries. It is as late as a card may be:
// what is queued in the stream is done when somebody waits for it, and not before.
//
// Environment: FAKE_CUDA_CARDS how many there are (1) · FAKE_CUDA_VERSION as the driver writes it (12040) · FAKE_CUDA_CAPABILITY
// (75) · FAKE_CUDA_FREE bytes of memory (2^30) · FAKE_CUDA_FAIL=FUNCTION:N:CODE makes the N-th call of a function fail. Codes from
// 700 on are of a kernel: as on a card they come out of a later call, and of every call after it until the context is gone.
#define main host_shim_program
#include "host_shim.cpp"
#undef main

#include <deque>

namespace {

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  LAUNCH_FAILED = 719
};
const int KERNEL_ERRORS = 700;
const int JIT_ERROR_LOG_BUFFER = 5;
const int JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;
const int COMPUTE_CAPABILITY_MAJOR = 75;
const int COMPUTE_CAPABILITY_MINOR = 76;

typedef unsigned long long Address;
typedef std::pair<const std::string, Entry> Function;

struct Module {
  std::string text;
};

bool initialised;
int context_users;
int kernel_error;  // of the context: what every call answers once a kernel has failed
uint64_t in_use;
std::map<uint64_t, uint64_t> buffers;
std::map<std::string, int> calls;
int context;  // its address is the handle
int stream;
std::deque<std::function<void()>> queued;
uint64_t done;  // of all that was ever queued

// An event stands behind so many.
struct Event {
  uint64_t behind;
};
thread_local void* current_context;

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr ? otherwise : strtoull(text, nullptr, 10);
}

// What is to go wrong in this call; 0 for nothing.
int planted(const char* function) {
  int call = ++calls[function];
  const char* text = getenv("FAKE_CUDA_FAIL");
  std::string wanted = std::string(function) + ":" + std::to_string(call) + ":";
  return text != nullptr && strncmp(text, wanted.c_str(), wanted.size()) == 0 ? atoi(text + wanted.size()) : 0;
}

// What a call that needs a context answers before it does anything.
int refusal(const char* function) {
  if (current_context != &context || context_users == 0) {
    fprintf(stderr, "fake driver: %s without a context on this thread\n", function);
    return INVALID_CONTEXT;
  }
  int code = planted(function);
  if (code >= KERNEL_ERRORS && kernel_error == 0) {
    kernel_error = code;
    return strcmp(function, "cuLaunchKernel") == 0 ? SUCCESS : code;
  }
  return code != 0 ? code : kernel_error;
}

void queue(std::function<void()> work) { queued.push_back(std::move(work)); }

void finish(uint64_t behind) {
  while (done < behind) {
    queued.front()();
    queued.pop_front();
    done++;
  }
}

void finish_all() { finish(done + queued.size()); }

#define CHECK_CONTEXT                     \
  if (int code = refusal(__FUNCTION__)) { \
    return code;                          \
  }

// Whether a range is inside of one buffer.
bool owned(Address at, size_t bytes) {
  auto after = buffers.upper_bound(at);
  return after != buffers.begin() && at + bytes <= std::prev(after)->first + std::prev(after)->second;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  if (int code = planted("cuInit")) {
    return code;
  }
  if (setting("FAKE_CUDA_CARDS", 1) == 0) {
    return NO_DEVICE;
  }
  initialised = initialised || prepare_host();
  return initialised ? SUCCESS : NOT_INITIALIZED;
}

int cuDriverGetVersion(int* version) {
  *version = setting("FAKE_CUDA_VERSION", 12040);
  return SUCCESS;
}

int cuDeviceGetCount(int* count) {
  *count = setting("FAKE_CUDA_CARDS", 1);
  return initialised ? SUCCESS : NOT_INITIALIZED;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < (int)setting("FAKE_CUDA_CARDS", 1) ? SUCCESS : INVALID_DEVICE;
}

int cuDeviceGetName(char* name, int bytes, int device) {
  snprintf(name, bytes, "Card of g++ %d", device);
  return SUCCESS;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  int capability = setting("FAKE_CUDA_CAPABILITY", 75);
  *value = attribute == COMPUTE_CAPABILITY_MAJOR ? capability / 10 : capability % 10;
  return attribute == COMPUTE_CAPABILITY_MAJOR || attribute == COMPUTE_CAPABILITY_MINOR ? SUCCESS : INVALID_VALUE;
}

int cuDevicePrimaryCtxRetain(void** out, int) {
  if (int code = planted("cuDevicePrimaryCtxRetain")) {
    return code;
  }
  context_users++;
  *out = &context;
  return SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int) {
  finish_all();
  if (--context_users == 0) {
    kernel_error = 0;
    for (const auto& buffer : buffers) {
      release(buffer.first);
    }
    buffers.clear();
    in_use = 0;
  }
  return SUCCESS;
}

int cuCtxSetCurrent(void* wanted) {
  if (wanted != &context || context_users == 0) {
    return INVALID_CONTEXT;
  }
  current_context = wanted;
  return SUCCESS;
}

int cuStreamCreate(void** out, unsigned) {
  CHECK_CONTEXT
  *out = &stream;
  return SUCCESS;
}

int cuStreamDestroy_v2(void*) { return SUCCESS; }

int cuStreamSynchronize(void* on) {
  CHECK_CONTEXT
  finish_all();
  return on != &stream ? INVALID_HANDLE : kernel_error;
}

int cuEventCreate(void** out, unsigned) {
  CHECK_CONTEXT
  *out = new Event{0};
  return SUCCESS;
}

int cuEventDestroy_v2(void* event) {
  delete (Event*)event;
  return SUCCESS;
}

int cuEventRecord(void* event, void* on) {
  CHECK_CONTEXT
  ((Event*)event)->behind = done + queued.size();
  return on == &stream ? SUCCESS : INVALID_HANDLE;
}

int cuEventSynchronize(void* event) {
  CHECK_CONTEXT
  finish(((Event*)event)->behind);
  return kernel_error;
}

int cuMemAllocHost_v2(void** out, size_t bytes) {
  CHECK_CONTEXT
  *out = malloc(bytes);
  return SUCCESS;
}

int cuMemFreeHost(void* at) {
  finish_all();
  free(at);
  return SUCCESS;
}

int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  CHECK_CONTEXT
  *total = setting("FAKE_CUDA_FREE", 1 << 30);
  *free_bytes = *total - in_use;
  return SUCCESS;
}

int cuMemAlloc_v2(Address* out, size_t bytes) {
  CHECK_CONTEXT
  if (bytes > setting("FAKE_CUDA_FREE", 1 << 30) - in_use) {
    return OUT_OF_MEMORY;
  }
  *out = allocate(bytes);
  buffers[*out] = bytes;
  in_use += bytes;
  return SUCCESS;
}

int cuMemFree_v2(Address at) {
  CHECK_CONTEXT
  auto found = buffers.find(at);
  if (found == buffers.end()) {
    return INVALID_VALUE;
  }
  finish_all();
  in_use -= found->second;
  buffers.erase(found);
  release(at);
  return SUCCESS;
}

int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, void* on) {
  CHECK_CONTEXT
  if (!owned(to, bytes) || on != &stream) {
    return INVALID_VALUE;
  }
  queue([=] { memcpy((void*)to, from, bytes); });
  return SUCCESS;
}

int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, void* on) {
  CHECK_CONTEXT
  if (!owned(from, bytes) || on != &stream) {
    return INVALID_VALUE;
  }
  queue([=] { memcpy(to, (const void*)from, bytes); });
  return SUCCESS;
}

int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void* on) {
  CHECK_CONTEXT
  if (!owned(to, bytes) || !owned(from, bytes) || on != &stream) {
    return INVALID_VALUE;
  }
  queue([=] { memcpy((void*)to, (const void*)from, bytes); });
  return SUCCESS;
}

int cuMemsetD8Async(Address to, unsigned char value, size_t bytes, void* on) {
  CHECK_CONTEXT
  if (!owned(to, bytes) || on != &stream) {
    return INVALID_VALUE;
  }
  queue([=] { memset((void*)to, value, bytes); });
  return SUCCESS;
}

int cuModuleLoadDataEx(void** out, const void* image, unsigned options, const int* keys, void** values) {
  int code = refusal("cuModuleLoadDataEx");
  for (unsigned i = 0; code != 0 && i < options; i++) {
    for (unsigned j = 0; keys[i] == JIT_ERROR_LOG_BUFFER && j < options; j++) {
      if (keys[j] == JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
        snprintf((char*)values[i], (size_t)values[j], "ptxas fatal : planted");
      }
    }
  }
  if (code == 0) {
    *out = new Module{(const char*)image};
  }
  return code;
}

int cuModuleUnload(void* module) {
  delete (Module*)module;
  return SUCCESS;
}

int cuModuleGetFunction(void** out, void* module, const char* name) {
  CHECK_CONTEXT
  auto found = kernels().find(name);
  std::string declared = std::string(".entry ") + name + "(";
  if (found == kernels().end() || ((Module*)module)->text.find(declared) == std::string::npos) {
    return NOT_FOUND;
  }
  *out = (void*)&*found;
  return SUCCESS;
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* on, void** parameters, void** extra) {
  CHECK_CONTEXT
  if (on != &stream || extra != nullptr || shared != 0 || gy > 65535 || gz > 65535 || bx * by * bz > MOST_THREADS) {
    return INVALID_VALUE;
  }
  const Function& kernel = *(const Function*)function;
  std::vector<uint64_t> raw;
  for (size_t bytes : kernel.second.parameters) {
    uint64_t value = 0;
    memcpy(&value, parameters[raw.size()], bytes);
    raw.push_back(value);
  }
  queue([=, &kernel] {
    gridDim = uint3_{gx, gy, gz};
    blockDim = uint3_{bx, by, bz};
    std::string error = kernel_error != 0 ? "" : run_grid(kernel.first, kernel.second, raw.data());
    if (!error.empty()) {
      fprintf(stderr, "fake driver: %s\n", error.c_str());
      kernel_error = LAUNCH_FAILED;
    }
  });
  return SUCCESS;
}

}  // extern "C"
