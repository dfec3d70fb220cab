// GELU (tanh form) and SwiGLU, forward and backward, element by element. All operands have n elements; y may be x, dx may
// be dy. One thread an element, any block.
//
// Twin: kernels/reference/ActivationKernel.java.
#include "functions.cuh"

static const float ROOT_2_OVER_PI = 0x1.988454p-1f;

DEVICE float gelu_tanh(float x) {
  float v = fused(mul(mul(x, x), x), 0.044715f, x);
  return function_tanh(mul(ROOT_2_OVER_PI, v));
}

KERNEL gelu(const float* x, float* y, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    float t = gelu_tanh(x[i]);
    y[i] = mul(mul(0.5f, x[i]), add(1.0f, t));
  }
}

KERNEL gelu_gradient(const float* x, const float* dy, float* dx, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    float v = x[i];
    float t = gelu_tanh(v);
    float c = mul(ROOT_2_OVER_PI, fused(mul(v, v), 0.134145f, 1.0f));
    float w = fused(negate(t), t, 1.0f);
    float g = fused(mul(mul(0.5f, v), w), c, fused(0.5f, t, 0.5f));
    dx[i] = mul(dy[i], g);
  }
}

KERNEL swiglu(const float* gate, const float* up, float* y, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    float g = gate[i];
    float a = mul(g, function_sigmoid(g));
    y[i] = mul(a, up[i]);
  }
}

KERNEL swiglu_gradient(const float* gate, const float* up, const float* dy, float* d_gate, float* d_up, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    float g = gate[i];
    float dh = dy[i];
    float s = function_sigmoid(g);
    float a = mul(g, s);
    float da = mul(dh, up[i]);
    d_up[i] = mul(dh, a);
    d_gate[i] = mul(da, fused(a, sub(1.0f, s), s));
  }
}
