// Runs before the first paint, so that a chosen theme never flashes in from the system's. Not a module, for that reason.
try {
  const { theme } = JSON.parse(localStorage.getItem("lectern.preferences") ?? "{}");
  if (theme && theme !== "system") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme holds.
}
