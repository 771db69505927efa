// Rules for the pages' modules: what is wrong, and what could run text as a program.
import globals from "globals";

export default [
  {
    files: ["**/*.js"],
    ignores: ["**/vendor/**"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: globals.browser },
    rules: {
      "constructor-super": "error",
      "no-const-assign": "error",
      "no-dupe-keys": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "text goes into the page as text" },
        { property: "outerHTML", message: "text goes into the page as text" },
        { property: "insertAdjacentHTML", message: "text goes into the page as text" },
      ],
      "no-restricted-syntax": ["error", { selector: "Literal[value='dangerouslySetInnerHTML']", message: "text goes into the page as text" }],
      "no-undef": "error",
      "no-unreachable": "error",
      "no-unused-vars": "error",
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
    },
  },
];
