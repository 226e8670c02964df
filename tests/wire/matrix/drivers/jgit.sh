# JGit as a client, by its command line: JGIT clone URL PATH, fetch URL PATH, push URL PATH CHANGE...
jgit=$1 word=$2 url=$3 path=$4
shift 4
# The program takes a login from a netrc alone.
home=$(mktemp -d)
trap 'rm -r "$home"' EXIT
rest=${url#*//} login=${rest%%@*}
url=http://${rest#*@}
host=${rest#*@}
echo "machine ${host%%:*} login ${login%%:*} password ${login#*:}" > "$home/.netrc"
export JAVA_TOOL_OPTIONS="-Duser.home=$home"
case $word in
  clone) "$jgit" clone "$url" "$path" ;;
  fetch) "$jgit" --git-dir "$path/.git" fetch "$url" '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*' ;;
  push)
    # The program ends with 0 when a reference was refused.
    said=$("$jgit" --git-dir "$path/.git" push "$url" "$@" 2>&1) || { echo "$said"; exit 1; }
    case $said in *rejected*) echo "$said"; exit 1 ;; esac
    ;;
esac
