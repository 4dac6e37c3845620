// The page begins to play by the table that it carries.

begin(JSON.parse(document.getElementById("data").textContent), document).catch((error) => {
  document.getElementById("status").textContent = `The circuit could not be read: ${error}`;
});
