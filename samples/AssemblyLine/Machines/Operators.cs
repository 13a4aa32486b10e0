namespace AssemblyLine;

/// <summary>The operators of the line.</summary>
internal static class Operators
{
    private static readonly string[] names = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gro", "Hal", "Ida", "Jon", "Kim", "Lea"];

    public static string NameOf(int number) =>
        number < names.Length ? names[number] : $"{names[number % names.Length]} {(number / names.Length) + 1}";
}
