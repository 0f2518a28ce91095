#pragma once
// Functions that were deprecated after GTK 4.8 remain available, because Debian 12 includes GTK 4.8.
#define GDK_VERSION_MIN_REQUIRED GDK_VERSION_4_8
#define GLIB_VERSION_MIN_REQUIRED GLIB_VERSION_2_74
#include <gtk/gtk.h>
#include <glib-unix.h>
