#include "pages.h"

// The pages are in the executable, so that it needs no folder beside it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_js[] = {
#embed "../../Console/Pages/api.js"
};
static const unsigned char app_js[] = {
#embed "../../Console/Pages/app.js"
};
static const unsigned char elements_js[] = {
#embed "../../Console/Pages/elements.js"
};
static const unsigned char icon_svg[] = {
#embed "../../Console/Pages/icon.svg"
};
static const unsigned char index_html[] = {
#embed "../../Console/Pages/index.html"
};
static const unsigned char log_js[] = {
#embed "../../Console/Pages/log.js"
};
static const unsigned char login_js[] = {
#embed "../../Console/Pages/login.js"
};
static const unsigned char overview_js[] = {
#embed "../../Console/Pages/overview.js"
};
static const unsigned char phone_events_js[] = {
#embed "../../Console/Pages/phone-events.js"
};
static const unsigned char phone_screens_js[] = {
#embed "../../Console/Pages/phone-screens.js"
};
static const unsigned char phone_js[] = {
#embed "../../Console/Pages/phone.js"
};
static const unsigned char samples_js[] = {
#embed "../../Console/Pages/samples.js"
};
static const unsigned char send_js[] = {
#embed "../../Console/Pages/send.js"
};
static const unsigned char snippets_js[] = {
#embed "../../Console/Pages/snippets.js"
};
static const unsigned char style_css[] = {
#embed "../../Console/Pages/style.css"
};

#define PAGE(name, bytes) {name, bytes, sizeof bytes}

static const struct console_page pages[] = {
    PAGE("api.js", api_js),
    PAGE("app.js", app_js),
    PAGE("elements.js", elements_js),
    PAGE("icon.svg", icon_svg),
    PAGE("index.html", index_html),
    PAGE("log.js", log_js),
    PAGE("login.js", login_js),
    PAGE("overview.js", overview_js),
    PAGE("phone-events.js", phone_events_js),
    PAGE("phone-screens.js", phone_screens_js),
    PAGE("phone.js", phone_js),
    PAGE("samples.js", samples_js),
    PAGE("send.js", send_js),
    PAGE("snippets.js", snippets_js),
    PAGE("style.css", style_css),
};

size_t console_page_count(void) { return sizeof pages / sizeof pages[0]; }

struct console_page console_page_at(size_t index) { return pages[index]; }
