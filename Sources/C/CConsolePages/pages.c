#include "pages.h"

// The pages are in the executable, so that it needs no folder beside it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_js[] = {
#embed "../../Console/Pages/api.js"
};
static const unsigned char app_js[] = {
#embed "../../Console/Pages/app.js"
};
static const unsigned char apps_js[] = {
#embed "../../Console/Pages/apps.js"
};
static const unsigned char campaign_parts_js[] = {
#embed "../../Console/Pages/campaign-parts.js"
};
static const unsigned char campaign_test_js[] = {
#embed "../../Console/Pages/campaign-test.js"
};
static const unsigned char campaigns_js[] = {
#embed "../../Console/Pages/campaigns.js"
};
static const unsigned char compose_files_js[] = {
#embed "../../Console/Pages/compose-files.js"
};
static const unsigned char compose_languages_js[] = {
#embed "../../Console/Pages/compose-languages.js"
};
static const unsigned char compose_time_js[] = {
#embed "../../Console/Pages/compose-time.js"
};
static const unsigned char compose_js[] = {
#embed "../../Console/Pages/compose.js"
};
static const unsigned char devices_js[] = {
#embed "../../Console/Pages/devices.js"
};
static const unsigned char dialog_js[] = {
#embed "../../Console/Pages/dialog.js"
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
static const unsigned char metrics_js[] = {
#embed "../../Console/Pages/metrics.js"
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
static const unsigned char plot_js[] = {
#embed "../../Console/Pages/plot.js"
};
static const unsigned char provider_html[] = {
#embed "../../Console/Pages/provider.html"
};
static const unsigned char provider_js[] = {
#embed "../../Console/Pages/provider.js"
};
static const unsigned char registrations_js[] = {
#embed "../../Console/Pages/registrations.js"
};
static const unsigned char registry_js[] = {
#embed "../../Console/Pages/registry.js"
};
static const unsigned char samples_js[] = {
#embed "../../Console/Pages/samples.js"
};
static const unsigned char section_js[] = {
#embed "../../Console/Pages/section.js"
};
static const unsigned char send_js[] = {
#embed "../../Console/Pages/send.js"
};
static const unsigned char shell_js[] = {
#embed "../../Console/Pages/shell.js"
};
static const unsigned char snippets_js[] = {
#embed "../../Console/Pages/snippets.js"
};
static const unsigned char style_css[] = {
#embed "../../Console/Pages/style.css"
};
static const unsigned char tools_js[] = {
#embed "../../Console/Pages/tools.js"
};

#define PAGE(name, bytes) {name, bytes, sizeof bytes}

static const struct console_page pages[] = {
    PAGE("api.js", api_js),
    PAGE("app.js", app_js),
    PAGE("apps.js", apps_js),
    PAGE("campaign-parts.js", campaign_parts_js),
    PAGE("campaign-test.js", campaign_test_js),
    PAGE("campaigns.js", campaigns_js),
    PAGE("compose-files.js", compose_files_js),
    PAGE("compose-languages.js", compose_languages_js),
    PAGE("compose-time.js", compose_time_js),
    PAGE("compose.js", compose_js),
    PAGE("devices.js", devices_js),
    PAGE("dialog.js", dialog_js),
    PAGE("elements.js", elements_js),
    PAGE("icon.svg", icon_svg),
    PAGE("index.html", index_html),
    PAGE("log.js", log_js),
    PAGE("login.js", login_js),
    PAGE("metrics.js", metrics_js),
    PAGE("overview.js", overview_js),
    PAGE("phone-events.js", phone_events_js),
    PAGE("phone-screens.js", phone_screens_js),
    PAGE("phone.js", phone_js),
    PAGE("plot.js", plot_js),
    PAGE("provider.html", provider_html),
    PAGE("provider.js", provider_js),
    PAGE("registrations.js", registrations_js),
    PAGE("registry.js", registry_js),
    PAGE("samples.js", samples_js),
    PAGE("section.js", section_js),
    PAGE("send.js", send_js),
    PAGE("shell.js", shell_js),
    PAGE("snippets.js", snippets_js),
    PAGE("style.css", style_css),
    PAGE("tools.js", tools_js),
};

size_t console_page_count(void) { return sizeof pages / sizeof pages[0]; }

struct console_page console_page_at(size_t index) { return pages[index]; }
