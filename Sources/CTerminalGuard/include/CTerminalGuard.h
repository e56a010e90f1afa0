#ifndef C_TERMINAL_GUARD_H
#define C_TERMINAL_GUARD_H
#endif
