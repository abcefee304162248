#!/bin/sh
# A bill of materials of what is installed to run, in CycloneDX: scripts/ci/sbom.sh FILE
set -eu
cd "$(dirname "$0")/../.."
npm sbom --sbom-format cyclonedx --sbom-type application --omit dev --package-lock-only > "$1"
node -e '
  const { bomFormat, components, metadata } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
  if (bomFormat !== "CycloneDX" || components.length < 100) throw new Error("This is no bill of materials.");
  console.log(`${metadata.component.name} ${metadata.component.version}: ${components.length} components`);
' "$1"
