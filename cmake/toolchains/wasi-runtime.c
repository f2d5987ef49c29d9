// What Debian's libraries for wasm32 lack.
#include <stdint.h>

// Its compiler runtime was built with a stack protector, and its C library has none.
uintptr_t __stack_chk_guard = 0x2f0a0dff;

_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }

// Its C++ library was built without threads: what the only one leaves is destroyed at the program's end.
int __cxa_atexit(void (*destroy)(void *), void *object, void *library);

int __cxa_thread_atexit(void (*destroy)(void *), void *object, void *library) {
  return __cxa_atexit(destroy, object, library);
}
