/** The titles of the documents that the console contains, by their paths. */
export const titles = {
  "console.md": "The gateway's console", "provider.md": "The provider, campaigns and the campaign file",
  "first-five-minutes/campaign.md": "The first campaign", "rejections.md": "Rejection reasons and remedies",
  "admin-api.md": "The admin API", "operations/monitoring.md": "Metrics and alerts",
  "operations/rotate.md": "Rotating keys and certificates", "operations/backup.md": "Backup and restore",
};

/** Returns the address of the page that shows a document. */
export const address = (path) => `/console/docs.html#${path}`;
