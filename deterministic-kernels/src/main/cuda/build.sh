#!/usr/bin/env bash
# Compiles every kernel file to PTX and writes the manifest. Without an argument the results replace the committed ones; with a
# folder they go there, for comparison. Run by hand after a kernel changed, and by PtxLibraryTest where nvcc is installed.
#
#   build.sh [--check] [FOLDER]      --check: also assemble for every target that ptxas knows and print registers and spills
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
check=no
if [[ ${1:-} == --check ]]; then
  check=yes
  shift
fi
out=${1:-$here/../resources/org/bitwitness/kernels/gpu/ptx}
mkdir -p "$out"
flags=(-arch=compute_75 --fmad=false -ftz=false -prec-div=true -prec-sqrt=true -ptx)
# The newest features used are those of PTX 6.4 (sm_75 itself is 6.3): drivers since 2018 load it. nvcc writes its own version.
version=6.4
cd "$here"
{
  echo "compiler $(nvcc --version | sed -n 's/.*\(V[0-9.]*\)$/\1/p')"
  echo "flags ${flags[*]}"
  echo "version $version"
} >"$out/manifest.txt.tmp"
for source in *.cu; do
  name=${source%.cu}
  nvcc "${flags[@]}" "$source" -o "$out/$name.ptx.tmp"
  # nvcc puts a hash of the place where it runs into internal names: the same file must come out in every folder.
  sed -E -e "s/^\.version .*/.version $version/" \
    -e 's/INTERNAL_[0-9a-f]{8}_/INTERNAL_00000000_/g' "$out/$name.ptx.tmp" >"$out/$name.ptx"
  rm "$out/$name.ptx.tmp"
  echo "module $name source $(cat "$source" *.cuh | sha256sum | cut -d' ' -f1) ptx $(sha256sum <"$out/$name.ptx" | cut -d' ' -f1)" \
    >>"$out/manifest.txt.tmp"
done
mv "$out/manifest.txt.tmp" "$out/manifest.txt"
if [[ $check == yes ]]; then
  for target in sm_75 sm_80 sm_86 sm_89 sm_90 sm_120; do
    for ptx in "$out"/*.ptx; do
      ptxas -arch=$target -v "$ptx" -o /dev/null 2>&1 | awk -v target=$target '
        /Compiling entry function/ { split($0, q, "\x27"); kernel = q[2] }
        /bytes stack frame/ { spill = $5 "+" $9 }
        /Used [0-9]+ registers/ { match($0, /Used [0-9]+/); print target, kernel, substr($0, RSTART + 5, RLENGTH - 5), spill }
        /error/ { print; bad = 1 } END { exit bad }'
    done
  done
fi
