// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the option parser refuses, as errors of the table.
#include "runtime/NearestName.h"
#include "runtime/tools/braid/CommandLine.h"

#include <fmt/format.h>

#include <algorithm>

namespace braid::tool {

namespace {

std::vector<std::string> commandNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> optionNames(const CLI::App &command) {
  std::vector<std::string> names;
  for (const CLI::Option *option : command.get_options()) {
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
    for (const std::string &name : option->get_snames())
      names.push_back("-" + name);
  }
  return names;
}

Status unknownCommand(const CLI::App &app, const std::string &word) {
  const std::vector<std::string> names = commandNames(app);
  return makeError(Error::CommandUnknown, fmt::format("there is no command `{}`", word),
                   "the commands are: " + joinNames(names),
                   suggest(word, names, "see `braid --help`"));
}

Status unexpected(const CLI::App &command, const std::string &argument) {
  const std::string help = fmt::format(
      "see `{} --help`", command.get_name() == "braid" ? "braid" : "braid " + command.get_name());
  if (!argument.starts_with("-"))
    return makeError(Error::OptionUnknown, fmt::format("`{}` is one argument too many", argument),
                     fmt::format("`{}` does not know what to do with it", command.get_name()),
                     help);
  const std::vector<std::string> names = optionNames(command);
  const std::string option = argument.substr(0, argument.find('='));
  return makeError(Error::OptionUnknown,
                   fmt::format("`{}` has no option `{}`", command.get_name(), option),
                   "its options are: " + joinNames(names), suggest(option, names, help));
}

// The first argument that was left over; options first, since what follows a misspelt one is often
// its value.
const std::string *leftOver(const std::vector<std::string> &arguments) {
  for (const std::string &argument : arguments)
    if (argument.starts_with("-"))
      return &argument;
  return arguments.empty() ? nullptr : &arguments.front();
}

} // namespace

CLI::Validator oneOf(std::vector<std::string> words) {
  return CLI::Validator(
      [words](std::string &word) -> std::string {
        if (std::find(words.begin(), words.end(), word) != words.end())
          return {};
        return fmt::format("there is no `{}`\nit is one of: {}\n{}", word, joinNames(words),
                           suggest(word, words, "use one of these"));
      },
      "", "");
}

Status usageError(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv) {
  const CLI::App *command = &app;
  if (argc > 1 && argv[1][0] != '-') {
    const std::vector<const CLI::App *> commands = app.get_subcommands({});
    const auto found = std::ranges::find(commands, argv[1], &CLI::App::get_name);
    if (found == commands.end())
      return unknownCommand(app, argv[1]);
    command = *found;
  }
  const std::vector<std::string> rest = command->remaining();
  const std::string *extra = leftOver(rest);
  const bool left = dynamic_cast<const CLI::ExtrasError *>(&error);
  if (extra && (left || extra->starts_with("-")))
    return unexpected(*command, *extra);
  if (command == &app)
    return makeError(Error::RequestIncomplete, "no command is given",
                     "the commands are: " + joinNames(commandNames(app)), "see `braid --help`");
  const std::string help = fmt::format("see `braid {} --help`", command->get_name());
  if (dynamic_cast<const CLI::RequiredError *>(&error))
    return makeError(Error::RequestIncomplete, error.what(),
                     fmt::format("`braid {}` needs it", command->get_name()), help);
  // `OPTION: what`, and from oneOf the other two lines.
  const std::vector<std::string> lines = CLI::detail::split(error.what(), '\n');
  return makeError(Error::OptionValue, lines[0],
                   lines.size() > 1 ? lines[1] : "the option takes other values",
                   lines.size() > 2 ? lines[2] : help);
}

} // namespace braid::tool
