#include "pages.h"

// The pages are embedded in the executable, so that the program doesn't depend on a folder.
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
static const unsigned char compose_js[] = {
#embed "../../Console/Pages/compose.js"
};
static const unsigned char compose_files_js[] = {
#embed "../../Console/Pages/compose-files.js"
};
static const unsigned char compose_languages_js[] = {
#embed "../../Console/Pages/compose-languages.js"
};
static const unsigned char compose_recipients_js[] = {
#embed "../../Console/Pages/compose-recipients.js"
};
static const unsigned char compose_time_js[] = {
#embed "../../Console/Pages/compose-time.js"
};
static const unsigned char devices_js[] = {
#embed "../../Console/Pages/devices.js"
};
static const unsigned char dialog_js[] = {
#embed "../../Console/Pages/dialog.js"
};
static const unsigned char docs_html[] = {
#embed "../../Console/Pages/docs.html"
};
static const unsigned char docs_js[] = {
#embed "../../Console/Pages/docs.js"
};
static const unsigned char documents_js[] = {
#embed "../../Console/Pages/documents.js"
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
static const unsigned char json_editor_js[] = {
#embed "../../Console/Pages/json-editor.js"
};
static const unsigned char log_js[] = {
#embed "../../Console/Pages/log.js"
};
static const unsigned char log_detail_js[] = {
#embed "../../Console/Pages/log-detail.js"
};
static const unsigned char log_export_js[] = {
#embed "../../Console/Pages/log-export.js"
};
static const unsigned char log_rows_js[] = {
#embed "../../Console/Pages/log-rows.js"
};
static const unsigned char login_js[] = {
#embed "../../Console/Pages/login.js"
};
static const unsigned char memory_js[] = {
#embed "../../Console/Pages/memory.js"
};
static const unsigned char metrics_js[] = {
#embed "../../Console/Pages/metrics.js"
};
static const unsigned char overview_js[] = {
#embed "../../Console/Pages/overview.js"
};
static const unsigned char phone_js[] = {
#embed "../../Console/Pages/phone.js"
};
static const unsigned char phone_events_js[] = {
#embed "../../Console/Pages/phone-events.js"
};
static const unsigned char phone_screens_js[] = {
#embed "../../Console/Pages/phone-screens.js"
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
static const unsigned char send_recipient_js[] = {
#embed "../../Console/Pages/send-recipient.js"
};
static const unsigned char send_saved_js[] = {
#embed "../../Console/Pages/send-saved.js"
};
static const unsigned char shell_js[] = {
#embed "../../Console/Pages/shell.js"
};
static const unsigned char shortcuts_js[] = {
#embed "../../Console/Pages/shortcuts.js"
};
static const unsigned char snippets_js[] = {
#embed "../../Console/Pages/snippets.js"
};
static const unsigned char style_css[] = {
#embed "../../Console/Pages/style.css"
};
static const unsigned char theme_js[] = {
#embed "../../Console/Pages/theme.js"
};
static const unsigned char tools_js[] = {
#embed "../../Console/Pages/tools.js"
};
static const unsigned char virtual_table_js[] = {
#embed "../../Console/Pages/virtual-table.js"
};
static const unsigned char docs_console_md[] = {
#embed "../../../docs/console.md"
};
static const unsigned char docs_provider_md[] = {
#embed "../../../docs/provider.md"
};
static const unsigned char docs_first_campaign_md[] = {
#embed "../../../docs/first-five-minutes/campaign.md"
};
static const unsigned char docs_rejections_md[] = {
#embed "../../../docs/rejections.md"
};
static const unsigned char docs_admin_api_md[] = {
#embed "../../../docs/admin-api.md"
};
static const unsigned char docs_monitoring_md[] = {
#embed "../../../docs/operations/monitoring.md"
};
static const unsigned char docs_rotate_md[] = {
#embed "../../../docs/operations/rotate.md"
};
static const unsigned char docs_backup_md[] = {
#embed "../../../docs/operations/backup.md"
};

#define PAGE(name, bytes) {name, bytes, sizeof bytes}

static const struct console_page pages[] = {
    PAGE("api.js", api_js),
    PAGE("app.js", app_js),
    PAGE("apps.js", apps_js),
    PAGE("campaign-parts.js", campaign_parts_js),
    PAGE("campaign-test.js", campaign_test_js),
    PAGE("campaigns.js", campaigns_js),
    PAGE("compose.js", compose_js),
    PAGE("compose-files.js", compose_files_js),
    PAGE("compose-languages.js", compose_languages_js),
    PAGE("compose-recipients.js", compose_recipients_js),
    PAGE("compose-time.js", compose_time_js),
    PAGE("devices.js", devices_js),
    PAGE("dialog.js", dialog_js),
    PAGE("docs.html", docs_html),
    PAGE("documents.js", documents_js),
    PAGE("docs.js", docs_js),
    PAGE("elements.js", elements_js),
    PAGE("icon.svg", icon_svg),
    PAGE("index.html", index_html),
    PAGE("json-editor.js", json_editor_js),
    PAGE("log.js", log_js),
    PAGE("log-detail.js", log_detail_js),
    PAGE("log-export.js", log_export_js),
    PAGE("log-rows.js", log_rows_js),
    PAGE("login.js", login_js),
    PAGE("memory.js", memory_js),
    PAGE("metrics.js", metrics_js),
    PAGE("overview.js", overview_js),
    PAGE("phone.js", phone_js),
    PAGE("phone-events.js", phone_events_js),
    PAGE("phone-screens.js", phone_screens_js),
    PAGE("plot.js", plot_js),
    PAGE("provider.html", provider_html),
    PAGE("provider.js", provider_js),
    PAGE("registrations.js", registrations_js),
    PAGE("registry.js", registry_js),
    PAGE("samples.js", samples_js),
    PAGE("section.js", section_js),
    PAGE("send.js", send_js),
    PAGE("send-recipient.js", send_recipient_js),
    PAGE("send-saved.js", send_saved_js),
    PAGE("shell.js", shell_js),
    PAGE("shortcuts.js", shortcuts_js),
    PAGE("snippets.js", snippets_js),
    PAGE("style.css", style_css),
    PAGE("theme.js", theme_js),
    PAGE("tools.js", tools_js),
    PAGE("virtual-table.js", virtual_table_js),
    PAGE("docs/console.md", docs_console_md),
    PAGE("docs/provider.md", docs_provider_md),
    PAGE("docs/first-five-minutes/campaign.md", docs_first_campaign_md),
    PAGE("docs/rejections.md", docs_rejections_md),
    PAGE("docs/admin-api.md", docs_admin_api_md),
    PAGE("docs/operations/monitoring.md", docs_monitoring_md),
    PAGE("docs/operations/rotate.md", docs_rotate_md),
    PAGE("docs/operations/backup.md", docs_backup_md),
};

size_t console_page_count(void) { return sizeof pages / sizeof pages[0]; }

struct console_page console_page_at(size_t index) { return pages[index]; }
