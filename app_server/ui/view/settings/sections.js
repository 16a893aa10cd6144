/**
 * Every section of the settings dialog. A section is one module, loaded when it is first shown; its address is
 * /app/settings/<id>.
 *
 * @typedef {import("../../api/types.js").User} User
 * @typedef {import("../../api/types.js").Features} Features
 * @typedef {object} Section
 * @property {string} id
 * @property {string} title
 * @property {"You" | "Admin"} group
 * @property {(user: User, features: Features) => boolean} visible who finds it in the list
 * @property {() => Promise<new () => import("./section.js").SettingsSection<any>>} load
 */

/** @param {User} user */
const hasAccount = (user) => user.kind === "account";
/** With rights in force. @param {User} user */
const isAdmin = (user) => user.isAdmin;

/** In the order of the list. @type {Section[]} */
export const SECTIONS = [
  { id: "account", title: "Account", group: "You", visible: hasAccount, load: async () => (await import("./account.js")).AccountSection },
  { id: "guest", title: "Guest", group: "You", visible: (user) => user.kind === "anonymous", load: async () => (await import("./guest.js")).GuestSection },
  { id: "sign-in", title: "Ways to sign in", group: "You", visible: hasAccount, load: async () => (await import("./sign-in.js")).SignInSection },
  { id: "sessions", title: "Devices", group: "You", visible: hasAccount, load: async () => (await import("./sessions.js")).SessionsSection },
  { id: "tokens", title: "API tokens", group: "You", visible: hasAccount, load: async () => (await import("./tokens.js")).TokensSection },
  { id: "pronunciation", title: "Pronunciation", group: "You", visible: () => true, load: async () => (await import("./pronunciation.js")).PronunciationSection },
  { id: "data", title: "Your data", group: "You", visible: (user) => user.kind !== "anonymous", load: async () => (await import("./data.js")).DataSection },
  { id: "usage", title: "Usage", group: "You", visible: () => true, load: async () => (await import("./usage.js")).UsageSection },
  { id: "news", title: "What's new", group: "You", visible: (_user, features) => features.hasChangelog === true, load: async () => (await import("./news.js")).NewsSection },
  { id: "providers", title: "Shared providers", group: "Admin", visible: isAdmin, load: async () => (await import("./admin/providers.js")).ProvidersSection },
  { id: "features", title: "Site features", group: "Admin", visible: isAdmin, load: async () => (await import("./admin/features.js")).FeaturesSection },
  { id: "users", title: "Users", group: "Admin", visible: isAdmin, load: async () => (await import("./admin/users.js")).UsersSection },
  { id: "email", title: "E-mail", group: "Admin", visible: isAdmin, load: async () => (await import("./admin/email.js")).EmailSection },
  { id: "limits", title: "Compute limits", group: "Admin", visible: isAdmin, load: async () => (await import("./admin/limits.js")).LimitsSection },
  { id: "tasks", title: "Tasks", group: "Admin", visible: isAdmin, load: async () => (await import("./admin/tasks.js")).TasksSection },
  { id: "system", title: "System", group: "Admin", visible: isAdmin, load: async () => (await import("./admin/system.js")).SystemSection },
  { id: "audit", title: "Audit log", group: "Admin", visible: isAdmin, load: async () => (await import("./admin/audit.js")).AuditSection },
];

/** @param {User} user @param {Features} features */
export function visibleSections(user, features) {
  return SECTIONS.filter((section) => section.visible(user, features));
}
