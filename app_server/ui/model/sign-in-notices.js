/** What a visitor is told who could not come in. Codes come from the server or its callback's address; only known ones are shown. */

/**
 * @typedef {object} Notice
 * @property {string} title
 * @property {string} text
 * @property {boolean} [isFinal] trying again doesn't help: the notice takes the form's place
 */

/** @type {Record<string, (provider: string) => Notice>} */
const NOTICES = {
  ACCOUNT_PENDING: () => ({
    title: "Your account is waiting for approval",
    text: "An administrator of this Lectern looks at new accounts before they can be used. Nothing more is asked of you: "
      + "sign in again later, and you are in as soon as the account has been approved. Whatever you added as a guest in this browser is kept for it.",
    isFinal: true,
  }),
  ACCOUNT_SUSPENDED: () => ({
    title: "Your account has been suspended",
    text: "An administrator of this Lectern has closed the account for now. Your documents are kept. Ask them if you think this is a mistake.",
    isFinal: true,
  }),
  SIGNUP_CLOSED: () => ({
    title: "This Lectern takes no new accounts",
    text: "Ask its administrator for one. If you have an account already, sign in the way you always do.",
  }),
  LINK_NEEDS_PASSWORD: (provider) => ({
    title: "You have an account here already",
    text: `Sign in to it below the way you always do. Then you can add ${provider} under Settings → Ways to sign in.`,
  }),
  SIGN_IN_CANCELLED: (provider) => ({ title: "You are not signed in", text: `The sign-in at ${provider} was cancelled.` }),
  SIGN_IN_EXPIRED: () => ({
    title: "That took too long", text: "The sign-in was used already, begun in another browser, or took more than ten minutes. Start again.",
  }),
  PROVIDER_UNREACHABLE: (provider) => ({
    title: "Not reachable just now", text: `${provider} does not answer. Try again in a moment, or sign in another way.`,
  }),
  PROVIDER_REFUSED: (provider) => ({
    title: "The sign-in was refused", text: `${provider} refused it. If it stays so, tell the administrator of this Lectern.`,
  }),
  PROVIDER_ANSWER_INVALID: (provider) => ({
    title: "The sign-in could not be confirmed",
    text: `The answer of ${provider} could not be trusted. Try again; if it stays so, tell the administrator of this Lectern.`,
  }),
  EMAIL_MISSING: (provider) => ({
    title: "Your e-mail address is missing", text: `${provider} did not tell it. Allow it to, or sign in another way.`,
  }),
  EMAIL_NOT_VERIFIED: () => ({
    title: "Confirm your e-mail address", text: "A message with a link is on its way to you. Follow the link, then sign in.",
  }),
  TOO_MANY_ATTEMPTS: () => ({ title: "Too many attempts", text: "Wait a while before you try again." }),
  IDENTITY_TAKEN: (provider) => ({ title: "Not added", text: `That sign-in of ${provider} belongs to another account here.` }),
  IDENTITY_LINKED: (provider) => ({ title: "Not added", text: `Your account has a sign-in of ${provider} already. Remove that one first.` }),
  LINKED_TO_OTHER: () => ({ title: "Not added", text: "Somebody else had signed in meanwhile. Sign in again and add it once more." }),
};

/** @param {string} code @param {string} provider its name @returns {Notice} */
export function signInNotice(code, provider) {
  const known = Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined;
  return known?.(provider || "The provider") ?? { title: "Signing in failed", text: "Something went wrong in Lectern. Try again in a moment." };
}
