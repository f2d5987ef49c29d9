// Debian's compiler runtime for wasm32 was built with a stack protector, and its C library has none.
#include <stdint.h>

uintptr_t __stack_chk_guard = 0x2f0a0dff;

_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }
