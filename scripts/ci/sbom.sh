#!/bin/sh
# A bill of materials of what is installed to run, in CycloneDX: scripts/ci/sbom.sh FILE
set -eu
cd "$(dirname "$0")/../.."
npm sbom --sbom-format cyclonedx --sbom-type application --omit dev --package-lock-only > "$1"
node -e '
  const fs = require("fs");
  const bom = JSON.parse(fs.readFileSync(process.argv[1], "utf8"));
  const { bomFormat, components, metadata } = bom;
  if (bomFormat !== "CycloneDX" || components.length < 100) throw new Error("This is no bill of materials.");
  // npm takes the name of the folder.
  metadata.component.name = require("./package.json").name;
  fs.writeFileSync(process.argv[1], `${JSON.stringify(bom, null, 2)}\n`);
  console.log(`${metadata.component.name} ${metadata.component.version}: ${components.length} components`);
' "$1"
