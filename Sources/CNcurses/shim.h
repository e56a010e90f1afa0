#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#define NCURSES_NOMACROS 1      /* real functions, no getch()/wmove() macros */
#include <langinfo.h>
#include <locale.h>
#include <wchar.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <pty.h>
#include <unistd.h>
#include <ncursesw/curses.h>

/* Accessors: Swift 6 rejects C globals as shared mutable state. */
static inline WINDOW *rally_curses_stdscr(void)   { return stdscr; }
static inline WINDOW *rally_curses_curscr(void)   { return curscr; }
static inline int rally_curses_lines(void)        { return LINES; }
static inline int rally_curses_cols(void)         { return COLS; }
static inline int rally_curses_colors(void)       { return COLORS; }
static inline int rally_curses_color_pairs(void)  { return COLOR_PAIRS; }

/* Casting macros the importer drops. `static const` imports as `let`. */
static const attr_t RALLY_CURSES_A_NORMAL    = A_NORMAL;
static const attr_t RALLY_CURSES_A_BOLD      = A_BOLD;
static const attr_t RALLY_CURSES_A_DIM       = A_DIM;
static const attr_t RALLY_CURSES_A_ITALIC    = A_ITALIC;
static const attr_t RALLY_CURSES_A_UNDERLINE = A_UNDERLINE;
static const attr_t RALLY_CURSES_A_REVERSE   = A_REVERSE;
static const attr_t RALLY_CURSES_A_BLINK     = A_BLINK;
static const attr_t RALLY_CURSES_A_INVIS     = A_INVIS;
static inline int rally_curses_key_f(int n) { return KEY_F(n); }

/* Extended colour pairs go through the `opts` void* of attr_set/setcchar. */
static inline int rally_curses_set_style(WINDOW *w, attr_t attrs, int pair) {
  return wattr_set(w, attrs, (short)(pair > 32767 ? 32767 : pair), &pair);
}
static inline int rally_curses_put_cell(
  WINDOW *w, int y, int x, const wchar_t *text, attr_t attrs, int pair) {
  cchar_t c;
  if (setcchar(&c, text, attrs, (short)(pair > 32767 ? 32767 : pair), &pair) == ERR) return ERR;
  return mvwadd_wch(w, y, x, &c);
}
static inline int rally_curses_put_wide(WINDOW *w, int y, int x, const wchar_t *s, int n) {
  return mvwaddnwstr(w, y, x, s, n);
}

/* wide ACS: array-indexing macros */
static inline const cchar_t *rally_curses_wacs_hline(void)    { return WACS_HLINE; }
static inline const cchar_t *rally_curses_wacs_vline(void)    { return WACS_VLINE; }
static inline const cchar_t *rally_curses_wacs_ulcorner(void) { return WACS_ULCORNER; }

/* mouse */
static const mmask_t RALLY_CURSES_ALL_MOUSE_EVENTS      = ALL_MOUSE_EVENTS;
static const mmask_t RALLY_CURSES_REPORT_MOUSE_POSITION = REPORT_MOUSE_POSITION;
static const mmask_t RALLY_CURSES_BUTTON1_PRESSED  = BUTTON1_PRESSED;
static const mmask_t RALLY_CURSES_BUTTON1_RELEASED = BUTTON1_RELEASED;
static const mmask_t RALLY_CURSES_BUTTON1_CLICKED  = BUTTON1_CLICKED;
static const mmask_t RALLY_CURSES_BUTTON3_PRESSED  = BUTTON3_PRESSED;
static const mmask_t RALLY_CURSES_WHEEL_UP   = BUTTON4_PRESSED;
static const mmask_t RALLY_CURSES_WHEEL_DOWN = BUTTON5_PRESSED;

/* size of the tty behind fd (variadic ioctl) */
static inline int rally_curses_winsize(int fd, int *rows, int *cols) {
  struct winsize ws;
  if (ioctl(fd, TIOCGWINSZ, &ws) != 0) return -1;
  *rows = ws.ws_row; *cols = ws.ws_col; return 0;
}
static inline int rally_curses_set_winsize(int fd, int rows, int cols) {
  struct winsize ws = { (unsigned short)rows, (unsigned short)cols, 0, 0 };
  return ioctl(fd, TIOCSWINSZ, &ws);
}
static inline int rally_curses_openpty(int *m, int *s, int rows, int cols) {
  struct winsize ws = { (unsigned short)rows, (unsigned short)cols, 0, 0 };
  return openpty(m, s, NULL, NULL, &ws);
}
/* From <term.h>, which would define hundreds of macros. Unlike newterm, reports why it failed. */
extern int setupterm(const char *type, int fd, int *error);
/* Swift hides fork: a child may only call async-signal-safe functions. For crash tests only. */
static inline int rally_curses_fork(void) { return (int)fork(); }
static inline int rally_curses_wcwidth(wchar_t c) { return wcwidth(c); }

/* The charset of a locale, such as ISO-8859-1; empty where that locale is not installed. */
static inline void rally_curses_charset(const char *locale, char *name, size_t room) {
  name[0] = 0;
  locale_t found = newlocale(LC_CTYPE_MASK, locale, (locale_t)0);
  if (found == (locale_t)0) return;
  snprintf(name, room, "%s", nl_langinfo_l(CODESET, found));
  freelocale(found);
}
#endif
