/// The completion script for bash.
enum BashCompletion {
  static func script(_ places: [CompletionWords]) -> String {
    var text = """
      # Completions of belfry for bash, made by 'belfry completions bash'.
      _belfry() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local place=belfry words= kind= i
        for ((i = 1; i < COMP_CWORD; i++)); do
          case "$place ${COMP_WORDS[i]}" in

      """
    let paths = places.dropFirst().map { "\"\($0.path)\"" }
    text += "      \(paths.joined(separator: " | ")))\n"
    text += """
              place+=" ${COMP_WORDS[i]}" ;;
            *) break ;;
          esac
        done
        # After --key, and after --key= too.
        if [[ $previous == = ]]; then
          previous=${COMP_WORDS[COMP_CWORD-2]}
        elif [[ $current == = ]]; then
          previous=${COMP_WORDS[COMP_CWORD-1]} current=
        fi
        case "$place $previous" in

      """
    for place in places {
      for option in place.options where option.takesValue {
        text += "    \"\(place.path) --\(option.key)\") kind=\(option.isPath ? "files" : "value")"
        text += " words=\"\(option.choices.joined(separator: " "))\" ;;\n"
      }
    }
    text += """
        esac
        if [[ -z $kind ]]; then
          case "$place" in

      """
    for place in places {
      let options = place.options.map { "--" + $0.key }.joined(separator: " ")
      let verbs = place.verbs.map(\.name).joined(separator: " ")
      text += "      \"\(place.path)\")\n"
      text += "        if [[ $current == -* ]]; then words=\"\(options)\"; "
      text += "else words=\"\(verbs)\"; \(place.takesFiles ? "kind=files; " : "")fi ;;\n"
    }
    text += """
          esac
        fi
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        if [[ $kind == files ]]; then
          compopt -o filenames 2>/dev/null
          local IFS=$'\\n'
          COMPREPLY+=($(compgen -f -- "$current"))
        fi
      }
      complete -F _belfry belfry

      """
    return text
  }
}

/// The completion script for zsh.
enum ZshCompletion {
  static func script(_ places: [CompletionWords]) -> String {
    var text = """
      #compdef belfry
      # Completions of belfry for zsh, made by 'belfry completions zsh'.
      _belfry() {
        local place=belfry index=2
        local -a arguments verbs
        while (( index < CURRENT )); do
          case "$place ${words[index]}" in

      """
    let paths = places.dropFirst().map { "\"\($0.path)\"" }
    text += "      \(paths.joined(separator: "|")))\n"
    text += """
              place+=" ${words[index]}"; (( index++ )) ;;
            *) break ;;
          esac
        done
        case "$place" in

      """
    for place in places {
      text += "    \"\(place.path)\")\n"
      let options = place.options.map { option -> String in
        var word = "*--\(option.key)"
        if option.takesValue { word += "=" }
        word += "[\(bracketed(option.help))]"
        if option.takesValue {
          let values = option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
          word += ":value:" + (values.isEmpty && option.isPath ? "_files" : values)
        }
        return quoted(word)
      }
      text += "      arguments=(\(options.joined(separator: " ")))\n"
      let verbs = place.verbs.map { verb in
        quoted(verb.name + (verb.help.isEmpty ? "" : ":" + verb.help))
      }
      text += "      verbs=(\(verbs.joined(separator: " ")))\n"
      text += "      \(place.takesFiles ? "arguments+=('*:file:_files')" : ":") ;;\n"
    }
    text += """
        esac
        if [[ ${words[CURRENT]} != -* ]] && (( ${#verbs} )) && (( index == CURRENT )); then
          _describe -t commands command verbs
        fi
        if (( ${#arguments} )); then
          words=(belfry "${(@)words[index,-1]}")
          (( CURRENT = CURRENT - index + 2 ))
          _arguments -S "${arguments[@]}"
        fi
      }
      _belfry "$@"

      """
    return text
  }

  private static func bracketed(_ text: String) -> String {
    text.map { "[]\\:".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private static func quoted(_ text: String) -> String { ShellWords.singleQuoted(text) }
}

/// The completion script for fish.
enum FishCompletion {
  static func script(_ places: [CompletionWords]) -> String {
    var text = """
      # Completions of belfry for fish, made by 'belfry completions fish'.
      function __belfry_place
          set -l place belfry
          set -l words (commandline -opc)
          for word in $words[2..-1]
              switch "$place $word"
                  case \(places.dropFirst().map { quoted($0.path) }.joined(separator: " "))
                      set place "$place $word"
                  case '*'
                      break
              end
          end
          echo $place
      end
      function __belfry_at
          test (__belfry_place) = "$argv[1]"
      end
      complete -c belfry -f

      """
    for place in places {
      let condition = "complete -c belfry -n " + quoted("__belfry_at " + quoted(place.path))
      for verb in place.verbs {
        text += "\(condition) -a \(quoted(verb.name))"
        text += verb.help.isEmpty ? "\n" : " -d \(quoted(verb.help))\n"
      }
      for option in place.options {
        text += "\(condition) -l \(option.key) -d \(quoted(option.help))"
        if option.takesValue {
          text += option.isPath ? " -r -F" : " -x"
          if !option.choices.isEmpty {
            text += " -a \(quoted(option.choices.joined(separator: " ")))"
          }
        }
        text += "\n"
      }
      if place.takesFiles { text += "\(condition) -F\n" }
    }
    return text
  }

  /// Quotes a text with the two escapes that fish supports between single quotation marks.
  private static func quoted(_ text: String) -> String {
    "'" + text.map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
