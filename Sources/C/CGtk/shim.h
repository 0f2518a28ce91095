#pragma once
// What later versions deprecate is still there: Debian 12 has 4.8.
#define GDK_VERSION_MIN_REQUIRED GDK_VERSION_4_8
#define GLIB_VERSION_MIN_REQUIRED GLIB_VERSION_2_74
#include <gtk/gtk.h>
#include <glib-unix.h>
