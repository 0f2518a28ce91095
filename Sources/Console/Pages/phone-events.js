/** Describes a phone's event as a sentence; returns nothing for an event whose effect is visible on the screen. */
export function sentence(event, name) {
  const app = event.app ? name(event.app) : "";
  switch (event.event) {
    case "link": return event.state === "up" ? "Connected to the gateway." : "Disconnected from the gateway.";
    case "registered": return `${app} received its device token.`;
    case "registrationFailed": return `${app} failed to register: ${event.why}`;
    case "refused": return `${app} was refused: ${event.why}`;
    case "prompt": return `${app} requested permission.`;
    case "presented": return `Shown: ${event.title || event.body || app}`;
    case "updated": return `Shown again: ${event.title || event.body || app}`;
    case "removed": return `Removed a notification from ${app}.`;
    case "suppressed": return `Not shown (${app}): ${event.reason}.`;
    case "sound": return `${app} sound: ${event.sound}.`;
    case "badge": return `${app} badge: ${event.badge}.`;
    case "received": return event.fetch ? `Woke ${app} for background push ${event.apnsID}.` : `Delivered push ${event.apnsID} to ${app}.`;
    case "willPresent": return `${app}, in the foreground, chose to show “${event.title}”.`;
    case "response": return `${app} received: ${action(event.action)}${event.text ? ` with text “${event.text}”` : ""}`;
    default: return null;
  }
}

function action(id) {
  return { "com.apple.UNNotificationDefaultActionIdentifier": "opened",
    "com.apple.UNNotificationDismissActionIdentifier": "dismissed" }[id] ?? `action “${id}”`;
}

let audio = null;

/** Plays a short tone, generated here so that no file has to be loaded. */
export function beep() {
  audio ??= new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 880;
  volume.gain.setValueAtTime(0.15, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.4);
}
